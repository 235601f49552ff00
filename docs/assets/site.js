/* The theme gives its search no name for those who hear a page. */
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
