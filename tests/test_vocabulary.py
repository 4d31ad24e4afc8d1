"""Names and texts use the words of docs/glossary.md: plain English and the established terms of the field."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from source_code import ROOT, python_files, tree, where

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
# Nouns that end like a gerund.
NOUNS = {"wiring", "alerting", "spelling", "setting"}
# Participles and pronouns that name nothing.
VAGUE_NAMES = {"told", "given", "found", "shown", "one", "most", "wanted"}
# A key of `doctor --json`.
FIXED_NAMES = {("doctor.py", "found")}
# Good terms that hold one of the words.
TERMS = ("given name", "given_name", "givenName", "given-name", "given names", "mendoza", "Mendoza", "mendes")
IS_NO = re.compile(
    r"(?<!here )\b(?:is|are) no (?!longer\b|more\b|less\b|fewer\b|later\b|earlier\b|other\b)\w+"
)


def words_to_avoid() -> list[str]:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", GLOSSARY.split("## Words we do not use")[1], re.MULTILINE)
    return [word for row in rows if row not in ("Not", "---") for word in row.split(", ")]


AVOIDED = re.compile(rf"\b(?:{'|'.join(words_to_avoid())})\b", re.IGNORECASE)


def odd_words(text: str) -> list[str]:
    """The words and phrases of a text that the glossary replaces."""
    for term in TERMS:
        text = text.replace(term, "")
    return [*AVOIDED.findall(text), *IS_NO.findall(text)]


@pytest.mark.parametrize(
    "text",
    [
        "What is missing, and the command that mends it".replace("mends", "heal"),
        "'fine' is no decision",
        "The run goes on where it was.",
        "It restarts by itself.",
        "Serve until told to stop.",
    ],
)
def test_an_odd_sentence_is_seen(text: str) -> None:
    assert odd_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "There is no stage 'x'.",
        "The lease is no longer held.",
        "A given name and a family name.",
        "Restarts automatically.",
    ],
)
def test_a_plain_sentence_passes(text: str) -> None:
    assert not odd_words(text)


# Modules


def modules() -> list[Path]:
    return [path for path in python_files("src") if path.stem not in ("__init__", "__main__")]


def test_modules_are_nouns() -> None:
    gerunds = [
        where(path, 1)
        for path in modules()
        if "migrations" not in path.parts
        if any(word.endswith("ing") and word not in NOUNS for word in path.stem.split("_"))
    ]
    check("gerund modules", gerunds)


def term_words() -> set[str]:
    """The words of the terms that the glossary explains."""
    terms = re.findall(r"^\| ([a-z][^|]*) \|", GLOSSARY.split("## Plain words")[0], re.MULTILINE)
    return set(re.findall(r"[a-z0-9]+", " ".join(terms).lower()))


def plain_words() -> list[str]:
    """The words that need no explanation."""
    return re.findall(r"[a-z0-9]+", GLOSSARY.split("## Plain words")[1].split("\n\n")[2])


def forms(word: str) -> set[str]:
    """The word, its plural and its singular."""
    return {word, f"{word}s", f"{word}es", word.removesuffix("s"), word.removesuffix("es"), word[:-3] + "y"}


# A module of these folders is named for the thing that it adds.
EXTENSIONS = {
    "stages",
    "sources",
    "destinations",
    "alert_channels",
    "maintenance",
    "start",
    "data",
    "operate",
}


def module_words() -> set[str]:
    named_freely = EXTENSIONS | {"versions", "locales"}
    paths = [path for path in modules() if path.parent.name not in named_freely]
    names = {path.stem for path in paths} | {path.parent.name for path in paths}
    return {word for name in names for word in name.split("_")}


def test_module_names_are_made_of_words_in_the_glossary() -> None:
    known = term_words() | set(plain_words())
    check("new words in module names", sorted(word for word in module_words() if not forms(word) & known))


def test_the_glossary_lists_no_plain_word_that_nothing_uses() -> None:
    used = module_words()
    unused = sorted(word for word in plain_words() if not forms(word) & used)
    check("plain words that no module name uses", unused)


def test_the_glossary_lists_a_word_once_and_in_order() -> None:
    plain = plain_words()
    assert plain == sorted(set(plain))
    check("plain words that are terms", sorted(set(plain) & term_words()))


# Names in the code


def split(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


@cache
def tokens(path: Path) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline))


def defined_names(module: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.arg):
            yield node.arg, node
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node


def test_names_use_the_words_of_the_glossary() -> None:
    bad = [
        f"{where(path, node)} {name}"
        for path in python_files("src", "scripts")
        for name, node in defined_names(tree(path))
        if odd_words(" ".join(split(name)).replace("given name", ""))
    ]
    check("odd names", bad)


def test_names_name_something() -> None:
    bad = [
        f"{where(path, node)} {name}"
        for path in python_files("src", "scripts")
        for name, node in defined_names(tree(path))
        if name.strip("_") in VAGUE_NAMES and (path.name, name) not in FIXED_NAMES
    ]
    check("vague names", bad)


def test_what_modules_import_is_defined_once() -> None:
    places: dict[str, set[Path]] = defaultdict(set)
    imported: set[str] = set()
    for path in python_files("src"):
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not is_command(
                node
            ):
                places[node.name].add(path)
        for other in ast.walk(tree(path)):
            if isinstance(other, ast.ImportFrom) and (other.module or "").startswith("scrapersky"):
                imported |= {alias.name for alias in other.names}
    twice = [
        f"{name}: {', '.join(sorted(where(path, 1) for path in files))}"
        for name, files in sorted(places.items())
        if len(files) > 1 and name in imported and name not in ("run", "main")  # Entry points by convention.
    ]
    check("defined twice", twice)


def is_command(node: ast.stmt) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(re.search(r"(command|group)\(", ast.unparse(one)) for one in decorators)


# Texts


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Comments and strings of a file, docstrings included."""
    for token in tokens(path):
        if token.type in (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            yield token.start[0], token.string


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """What people read: the texts of errors and the help of commands."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield node.lineno, text_of(node.exc)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).split(".")[-1]
            if name in (
                "option",
                "argument",
                "command",
                "group",
                "echo",
                "fail",
                "Setting",
                "setting",
                "confirm",
            ):
                yield node.lineno, text_of(node)


def text_of(node: ast.AST) -> str:
    return " ".join(
        str(inner.value)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    )


def test_messages_are_plain_english() -> None:
    bad = [
        f"{where(path, line)} {odd}"
        for path in python_files("src")
        for line, text in messages(path)
        for odd in odd_words(text)
    ]
    check("odd messages", bad)


def test_comments_and_strings_are_plain_english() -> None:
    bad = [
        f"{where(path, line)} {odd}"
        for path in python_files("src", "scripts")
        if path.parent.name != "locales"  # The sentences of invented sites.
        for line, text in texts(path)
        for odd in odd_words(text)
    ]
    check("odd texts", bad)


def pages() -> list[Path]:
    here = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / ".github").rglob("*.md"),
        ROOT / ".env.example",
    ]
    # The requirements keep the words of those who wrote them.
    return [path for path in here if path.name not in ("glossary.md", "requirements.md")]


def test_documents_are_plain_english() -> None:
    bad = [
        f"{where(path, number)} {odd}"
        for path in pages()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for odd in odd_words(line)
    ]
    check("odd documents", bad)


def check(what: str, places: list[str]) -> None:
    assert not places, f"{len(places)} {what}; see docs/glossary.md:\n" + "\n".join(places)
