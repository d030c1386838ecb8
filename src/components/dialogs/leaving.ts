type Ask = (go: () => void) => void;

let ask: Ask | null = null;

/** Leaves the page at once, or first asks where a form on it has unsaved changes. */
export function leave(go: () => void): void {
  if (ask) ask(go);
  else go();
}

/** Lets a form with unsaved changes be asked; gives back how to stop that. */
export function guardLeaving(next: Ask): () => void {
  ask = next;
  return () => {
    if (ask === next) ask = null;
  };
}
