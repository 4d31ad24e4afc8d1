"""The rules of ARCHITECTURE.md that a machine can check: sizes, names, what may stand where."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrapersky.declarations import DECLARATIONS, statuses
from scrapersky.tables.seed import DEMO_TENANT_ID

sys.path.insert(0, str(Path(__file__).parent))
from source_code import ROOT, SRC, part, python_files, tree, where

CODE = ("src", "tests", "bench", "quality", "scripts")

LONGEST_FUNCTION = 60

VAGUE = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "service", "services", "handler"}
VAGUE |= {"handlers", "processor", "base", "fixed", "enhanced", "v1", "v2", "v3"}
HISTORY = {"new", "old"}  # A class may say that a thing is old (TLSTooOld); a file is never the new one.
NETWORK = {"aiohttp", "httpx", "requests", "urllib3", "http.client", "urllib.request", "smtplib"}
TALKS_TO_THE_WORLD = ("fetch", "alert_channels", "scrapersky_demo")
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
# Written in two parts, so that this file does not find itself.
REGISTRIES = re.compile("--(extra-)?index" + "-url|--find" + r"-links|pypi\.or" + r"g|pythonhosted\.or" + "g")
MACHINE_PATHS = re.compile(r"(^|[^A-Za-z0-9_.])/(work|farm|root)" + "/")
NAMED_COMMAND = re.compile(r"(?<![\w./-])scrapersky (?=[a-z])")
UNFINISHED = re.compile("TO" + "DO|FIX" + "ME|NotImplemented" + "Error")


def text_files() -> list[Path]:
    """Every file of ours that may name a path or a host."""
    kinds = {
        ".py",
        ".md",
        ".toml",
        ".txt",
        ".ini",
        ".cfg",
        ".yaml",
        ".yml",
        ".html",
        ".css",
        ".js",
        ".sh",
        ".mako",
    }
    folders = [*CODE, "docs", "deploy", "requirements", ".ci", ".github"]
    inside = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in kinds]
    # In a worktree .git is a file that names the repository's place.
    return sorted(inside) + [p for p in ROOT.iterdir() if p.is_file() and p.name not in ("LICENSE", ".git")]


def imports(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((name.name, node) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node
            yield from ((f"{node.module}.{name.name}", node) for name in node.names)


# Sizes


def test_no_function_is_longer_than_60_lines() -> None:
    long = [
        f"{where(path, node)} {node.name} has {node.end_lineno - node.lineno + 1}"
        for path in python_files(*CODE)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long, "Split by named steps:\n" + "\n".join(long)


# Names and docstrings


@pytest.mark.parametrize("folder", CODE)
def test_every_file_begins_with_a_docstring_whose_first_line_is_a_sentence(folder: str) -> None:
    bad = [where(path, 1) for path in python_files(folder) if not begins_with_a_sentence(path)]
    assert not bad, "Say in one sentence, with a full stop, what is in:\n" + "\n".join(bad)


def begins_with_a_sentence(path: Path) -> bool:
    first = (ast.get_docstring(tree(path)) or "").split("\n\n")[0].strip()
    return bool(first) and first[-1] in ".:?" and not first[0].islower()


def test_no_file_or_class_has_a_name_that_says_nothing() -> None:
    files = [
        where(path, 1)
        for path in python_files(*CODE)
        if (VAGUE | HISTORY) & set(path.stem.lower().split("_"))
    ]
    folders = [
        str(path)
        for path in (p.relative_to(ROOT) for p in python_files(*CODE))
        if VAGUE & set(path.parts[:-1])
    ]
    classes = [
        f"{where(path, node)} {node.name}"
        for path in python_files(*CODE)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and VAGUE & {word.lower() for word in words_of(node.name)}
    ]
    assert not files + folders + classes, "Name the thing:\n" + "\n".join(files + folders + classes)


def words_of(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*", name)


def test_no_workflow_number_is_part_of_a_name() -> None:
    numbered = [where(path, 1) for path in python_files(*CODE) if re.search(r"(^|_)wf\d", path.stem)]
    assert not numbered, "Workflow numbers stand in documents only (D6):\n" + "\n".join(numbered)


# Stages and words


def stage_files() -> list[Path]:
    """A stage is a file, or a folder whose `__init__.py` has its function; other files are parts of it."""
    stages = ROOT / "src/scrapersky/stages"
    return [
        path
        for path in python_files("src/scrapersky/stages")
        if path.parent == stages or path.name == "__init__.py"
    ]


def test_stages_catch_nothing() -> None:
    caught = [
        where(path, node)
        for path in stage_files()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Try | ast.TryStar)
    ]
    assert not caught, "Stages raise; the engine is the one place that catches:\n" + "\n".join(caught)


@pytest.mark.req("R198")
def test_status_words_are_defined_once() -> None:
    """R198: no status set outside declarations/."""
    enums = [
        f"{where(path, node)} {node.name}"
        for path in python_files("src")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        and re.search("status|state", node.name, re.IGNORECASE)
        and any("Enum" in ast.unparse(parent) for parent in node.bases)
        and part(path) != "declarations"
    ]
    vocabularies = [
        where(path, node)
        for path in python_files("src")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] == "StatusSet"
        and part(path) != "declarations"
    ]
    assert not enums + vocabularies, "Define it in declarations/:\n" + "\n".join(enums + vocabularies)


def status_words() -> tuple[set[str], set[str]]:
    """The words of all status columns: those that mean nothing else, and the ordinary ones."""
    found = {status for stage in DECLARATIONS for status in stage.statuses.all}
    found |= {*statuses.CURATION, *statuses.CONTACT_SCRAPE}
    return {word for word in found if word[0].isupper()}, {word for word in found if word[0].islower()}


def status_literals(module: ast.Module) -> Iterator[ast.AST]:
    """Places where a status word is written out instead of taken from its vocabulary."""
    distinct, ordinary = status_words()
    quoted = re.compile("'(" + "|".join(sorted(distinct | ordinary)) + ")'")
    documentation = docstrings(module)
    for node in ast.walk(module):
        if id(node) in documentation:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            in_sql = "status" in node.value and quoted.search(node.value)
            if node.value in distinct or in_sql or node.value.strip("'") in distinct - {node.value}:
                yield node
        elif isinstance(node, ast.Compare) and "status" in ast.unparse(node):
            yield from _constants([node.left, *node.comparators], ordinary)
        elif isinstance(node, ast.keyword) and node.arg and node.arg.endswith("status"):
            yield from _constants([node.value], ordinary)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("status.in_"):
            yield from _constants(node.args, ordinary)
        elif isinstance(node, ast.Dict):
            pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key]
            of_status = [value for key, value in pairs if ast.unparse(key).strip("'").endswith("status")]
            yield from _constants(of_status, ordinary)


def _constants(nodes: list[ast.expr], statuses: set[str]) -> Iterator[ast.AST]:
    inner = [one for node in nodes for one in ast.walk(node)]
    yield from (one for one in inner if isinstance(one, ast.Constant) and one.value in statuses)


@pytest.mark.req("R198")
def test_status_words_are_taken_from_their_vocabulary() -> None:
    """No stage, action, query or task writes out a word of a status column."""
    # Exports and answers of the web application have words of their own; the demo world and extraction too.
    elsewhere = ("scrapersky_demo", "extract", "settings", "web")
    found = [
        f"{where(path, node)} {ast.unparse(node)[:60]}"
        for path in python_files("src")
        if part(path) not in elsewhere and part(path) != "declarations" and "migrations" not in path.parts
        for node in status_literals(tree(path))
    ]
    assert not found, "Take it from declarations/:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        'Result(status="Filtered")',
        'fields["page_processing_status"] = "Queued"',
        'jobs.c.status == "pending"',
        'Job.status.in_(("complete", "failed"))',
        'values = {"status": "running"}',
        'update(table).values(status="cancelled")',
        """text("page_processing_status = 'Complete'")""",
        """text("UPDATE jobs SET status = 'pending'")""",
    ],
)
def test_a_status_word_that_is_written_out_is_seen(code: str) -> None:
    assert list(status_literals(ast.parse(code)))


def test_data_flows_one_way() -> None:
    """No stage adds rows that an earlier stage reads; adding to its own table is fine (a sitemap index)."""
    order: dict[str, int] = {}
    for place, stage in enumerate(DECLARATIONS):
        order.setdefault(stage.table, place)
    backward = [
        f"{stage.name} writes {table}, which an earlier stage reads"
        for place, stage in enumerate(DECLARATIONS)
        for table in stage.writes
        if table != stage.table and order.get(table, len(DECLARATIONS)) < place
    ]
    assert not backward, "\n".join(backward)


# What may be written where


@pytest.mark.req("R084", "R085")
def test_only_the_one_door_opens_connections() -> None:
    """R084, R085: only fetch and the demo world can make an HTTP request."""
    outside = [path for path in python_files("src") if part(path) not in TALKS_TO_THE_WORLD]
    bad = [
        f"{where(path, node)} imports {name}"
        for path in outside
        for name, node in imports(path)
        if name in NETWORK
    ]
    assert not bad, "Call the function instead, or go through fetch:\n" + "\n".join(bad)


@pytest.mark.req("R085")
def test_nothing_calls_our_own_api() -> None:
    """R085: the API's prefix is written where routes are declared and nowhere else."""
    bad = [
        where(path, node)
        for path in python_files("src")
        if part(path) not in ("api", "web", "app")
        for node, value in strings(path)
        if "/api/v3" in value
    ]
    assert not bad, "Services call each other as functions (docs/decisions/0010):\n" + "\n".join(bad)


def strings(path: Path) -> Iterator[tuple[ast.Constant, str]]:
    """Every string of a file but its docstrings."""
    documentation = docstrings(tree(path))
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node, node.value


def docstrings(module: ast.Module) -> set[int]:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return {
        id(node.body[0].value)
        for node in ast.walk(module)
        if isinstance(node, documented)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }


@pytest.mark.req("R189")
def test_no_user_or_tenant_is_written_into_the_code() -> None:
    """R189: identifiers of the system user and the default tenant come from the settings.

    That of the demo tenant is fixed: no worker may ever call the hosts of its invented firms.
    """
    bad = [
        where(path, node)
        for path in python_files("src")
        if part(path) != "settings"
        for node, value in strings(path)
        if UUID.search(value) and value != str(DEMO_TENANT_ID)
    ]
    assert not bad, "Take it from the settings:\n" + "\n".join(bad)


def has_keyword(name: str, value: bool) -> Callable[[ast.AST], bool]:
    def matches(node: ast.AST) -> bool:
        given = node.keywords if isinstance(node, ast.Call) else []
        return any(
            word.arg == name and isinstance(word.value, ast.Constant) and word.value.value is value
            for word in given
        )

    return matches


def calls(*names: str) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, ast.Call) and ast.unparse(node.func) in names


def takes_in(*names: str) -> Callable[[ast.AST], bool]:
    """Imports one of these, a module or a name in one."""

    def matches(node: ast.AST) -> bool:
        if isinstance(node, ast.Import):
            return any(name.name in names for name in node.names)
        if not isinstance(node, ast.ImportFrom):
            return False
        return node.module in names or any(f"{node.module}.{name.name}" in names for name in node.names)

    return matches


DANGERS: dict[str, Callable[[ast.AST], bool]] = {
    "verify=False switches off TLS": has_keyword("verify", False),
    "ssl=False switches off TLS": has_keyword("ssl", False),
    "shell=True hands text to a shell": has_keyword("shell", True),
    "eval and exec run text": calls("eval", "exec", "os.system"),
    "pickle and marshal run what they read": takes_in("pickle", "marshal", "shelve", "dill"),
    "yaml.load builds objects": calls("yaml.load", "yaml.unsafe_load"),
    "Markup switches off escaping": takes_in("markupsafe.Markup", "jinja2.Markup"),
    "autoescape=False switches off escaping": has_keyword("autoescape", False),
}


@pytest.mark.parametrize("danger", DANGERS)
def test_the_code_does_nothing_dangerous(danger: str) -> None:
    found = [
        where(path, node)
        for path in python_files("src", "scripts")
        for node in ast.walk(tree(path))
        if DANGERS[danger](node)
    ]
    assert not found, f"{danger}:\n" + "\n".join(found)


# The word alone is also how htmx names the place of what a server has rendered, so the property counts.
@pytest.mark.parametrize(
    "danger", ["|safe", "| safe", ".innerHTML", ".outerHTML", "insertAdjacentHTML", "autoescape false"]
)
def test_no_template_or_script_switches_off_escaping(danger: str) -> None:
    ours = [path for path in SRC.rglob("*") if path.suffix in {".html", ".js"} and "vendor" not in path.parts]
    found = [where(path, 1) for path in ours if danger in path.read_text(encoding="utf-8")]
    assert not found, f"{danger} in " + ", ".join(found)


# The engine builds its statements from a stage's declaration, tables/ from its own names, embedded/ before
# there is a schema; what people send never reaches them.
SQL_BY_NAME = ("engine", "tables", "storage", "embedded")
NAMED_STATEMENTS = ("maintenance", "queries")
STATEMENT = re.compile(r"^\s*(select|insert into|update|delete from|create|alter|drop|with)\s", re.IGNORECASE)


@pytest.mark.req("R195")
def test_sql_is_never_put_together_from_text() -> None:
    """R195: application code speaks through SQLAlchemy; no f-string holds a statement."""
    found = [
        where(path, node)
        for path in python_files("src")
        if part(path) not in SQL_BY_NAME
        for node in ast.walk(tree(path))
        if isinstance(node, ast.JoinedStr) and is_statement(node)
    ]
    assert not found, "Use a set-based SQLAlchemy statement with parameters:\n" + "\n".join(found)


# Beyond those three, a text is a constant, or a condition that tables/ declares with a stage's work.
DECLARED_CONDITIONS = {
    "stage.condition",
    "queue.condition",
    "queue.claimable()",
    "dead_letter_condition(queue)",
}
RAW_TEXT = {"text", "literal_column"}
RUNS_SQL = {*RAW_TEXT, "execute", "fetch", "scalar", "scalars"}
BY_THE_DRIVER = {
    *("exec_driver_sql", "get_raw_connection", "copy_records_to_table", "copy_to_table", "DDL"),
    *("fetchval", "fetchrow", "executemany", "driver_connection"),
}


def raw_sql(module: ast.Module) -> Iterator[ast.AST]:
    """SQL that does not go through SQLAlchemy's expressions."""
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and node.attr in BY_THE_DRIVER:
            yield node
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).split(".")[-1]
        given = node.args[0] if node.args else None
        if name in RAW_TEXT and not isinstance(given, ast.Constant | None):
            if ast.unparse(given) not in DECLARED_CONDITIONS:
                yield node
        # A whole statement is kept with the tables; a condition or SHOW may stand where it is used.
        elif isinstance(given, ast.Constant) and name in RUNS_SQL and STATEMENT.match(str(given.value)):
            yield node


def test_rows_that_are_selected_get_their_ids_from_the_database() -> None:
    """A default that Python computes, such as an id, is computed once for all rows of a statement."""
    found = [
        where(path, node)
        for path in python_files("src")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(".from_select")
        and "include_defaults=False" not in ast.unparse(node)
    ]
    assert not found, "Pass include_defaults=False: " + ", ".join(found)


@pytest.mark.req("R195")
def test_raw_sql_stands_only_where_statements_are_kept() -> None:
    """R195 by D17: fixed statements in the engine and the tables; everywhere else expressions.

    Maintenance and queries may name a fixed statement at the top of the module.
    """
    found = [
        f"{where(path, node)} {ast.unparse(node)[:80]}"
        for path in python_files("src")
        if part(path) not in SQL_BY_NAME
        for node in raw_sql(tree(path))
        if part(path) not in NAMED_STATEMENTS or ast.unparse(node) not in named_statements(tree(path))
    ]
    assert not found, "Build the statement from tables and parameters:\n" + "\n".join(found)


def named_statements(module: ast.Module) -> list[str]:
    """The values of constants such as `STUCK_JOBS = text("SELECT ...")`."""
    return [
        ast.unparse(node.value)
        for node in module.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id.isupper()
        and isinstance(node.value, ast.Call)
        and [type(argument) for argument in node.value.args] == [ast.Constant]
    ]


@pytest.mark.req("R195")
@pytest.mark.parametrize(
    "code",
    [
        'connection.execute(text("SELECT * FROM jobs"))',
        'connection.execute(text("UPDATE jobs SET status = " + word))',
        "connection.execute(text(f'SELECT {column} FROM jobs'))",
        'connection.exec_driver_sql("DELETE FROM jobs")',
        "select(literal_column(name))",
        "(await connection.get_raw_connection()).driver_connection",
    ],
)
def test_raw_sql_is_seen(code: str) -> None:
    assert list(raw_sql(ast.parse(code)))


def is_statement(node: ast.JoinedStr) -> bool:
    first = node.values[0]
    begins = isinstance(first, ast.Constant) and STATEMENT.match(str(first.value))
    words = " ".join(str(piece.value) for piece in node.values if isinstance(piece, ast.Constant)).lower()
    return bool(begins) and any(
        f" {word} " in f" {words} " for word in ("from", "set", "into", "table", "where")
    )


@pytest.mark.parametrize(
    ("pattern", "advice"),
    [
        (REGISTRIES, "Where packages come from is the machine's own matter"),
        (MACHINE_PATHS, "A path of one machine; use a path relative to the project"),
        (UNFINISHED, "A known gap is an issue, not a comment"),
    ],
    ids=["registry", "machine-path", "unfinished"],
)
def test_no_file_holds(pattern: re.Pattern[str], advice: str) -> None:
    found = [
        f"{where(path, number)} {line.strip()[:80]}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"{advice}:\n" + "\n".join(found)


def conditional_modules() -> dict[str, str]:
    """The modules of dependencies that are not installed everywhere, each with its condition."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    conditions = dict(one.split(";", 1) for one in project["dependencies"] if ";" in one)
    names = {re.match(r"[a-z0-9-]+", one)[0]: told.strip() for one, told in conditions.items()}  # type: ignore[index]
    # The backport is a module of the shared package `backports`.
    return {name.replace("backports-", "backports."): told for name, told in names.items()}


def guarded_nodes(path: Path) -> set[ast.AST]:
    """What is run only on some versions or platforms, or may fail to be imported."""
    guards = []
    for node in ast.walk(tree(path)):
        tests_version = isinstance(node, ast.If) and "sys." in ast.unparse(node.test)
        catches = isinstance(node, ast.Try) and "ImportError" in "".join(
            ast.unparse(one.type) for one in node.handlers if one.type
        )
        guards += [node] if tests_version or catches else []
    return {inner for node in guards for inner in ast.walk(node)}


def test_conditional_dependencies_are_imported_conditionally() -> None:
    """Python 3.14 has no `backports.zstd`, Windows no `uvloop`."""
    modules = conditional_modules()
    assert "backports.zstd" in modules
    bad = []
    for path in python_files(*CODE):
        guarded = guarded_nodes(path)
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
            else:
                continue
            here = {name for name in names if name in modules and node not in guarded}
            # Tests and benchmarks run where the program does; only its Python may be newer.
            if part_of(path) != "src":
                here = {name for name in here if "python_version" in modules[name]}
            bad += [f"{where(path, node)} {name}" for name in here]
    assert not bad, "Imported where they may not be installed:\n" + "\n".join(bad)


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def told_texts(path: Path) -> list[tuple[int, bool]]:
    """Every text of ours that names a command: its line, and whether people get it by our own name."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    calls = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    renamed = {
        id(inner)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ("echo_message", "with_program_name", "fail")
        for inner in ast.walk(call)
    }
    return [
        (node.lineno, id(node) in renamed)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED_COMMAND.search(node.value)
        if id(node) not in docstrings
    ]


def test_no_command_prints_a_name_that_may_not_work() -> None:
    texts = [(path.name, *one) for path in sorted((SRC / "cli").rglob("*.py")) for one in told_texts(path)]
    assert texts, "the search finds nothing any more"
    assert [f"{name}:{line}" for name, line, good in texts if not good] == []
