// Lines of the same place in the source light up together; a click scrolls the other columns of the kernel to them.
const placeOf = (node) => {
  const line = node.closest?.(".l");
  return line && [...line.classList].find((name) => /^p\d+$/.test(name));
};
const all = (place) => document.querySelectorAll(".l." + place);
document.addEventListener("mouseover", (event) => {
  document.querySelectorAll(".lit").forEach((line) => line.classList.remove("lit"));
  const place = placeOf(event.target);
  if (place) all(place).forEach((line) => line.classList.add("lit"));
});
document.addEventListener("click", (event) => {
  const place = placeOf(event.target);
  const columns = event.target.closest?.(".columns");
  if (!place || !columns) return;
  const own = event.target.closest("pre");
  for (const column of columns.querySelectorAll("pre")) {
    const line = column !== own && column.querySelector(".l." + place);
    if (line) column.scrollTop += line.getBoundingClientRect().top - column.getBoundingClientRect().top - 60;
  }
});
