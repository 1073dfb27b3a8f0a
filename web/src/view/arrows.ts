/** Steps to the right and up that an arrow key asks for; 0 and 0 for other keys. */
export function arrows(event: KeyboardEvent): [across: number, up: number] {
  if (event.altKey || event.ctrlKey || event.metaKey) return [0, 0];
  switch (event.key) {
    case "ArrowRight":
      return [1, 0];
    case "ArrowLeft":
      return [-1, 0];
    case "ArrowUp":
      return [0, 1];
    case "ArrowDown":
      return [0, -1];
    default:
      return [0, 0];
  }
}
