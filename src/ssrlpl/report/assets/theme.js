// Runs before the first paint, so that a dark page does not flash white.
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
