// Runs before the page is painted, so that a chosen theme or density never flashes.
{
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (localStorage.getItem("density") === "compact") document.documentElement.dataset.density = "compact";
}
