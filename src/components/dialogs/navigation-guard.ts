type LeavePrompt = (go: () => void) => void;

let ask: LeavePrompt | null = null;

/** Leaves the page at once, or first asks where a form on it has unsaved changes. */
export function confirmLeave(go: () => void): void {
  if (ask) ask(go);
  else go();
}

/** Lets a form with unsaved changes be asked; gives back how to stop that. */
export function guardNavigation(next: LeavePrompt): () => void {
  ask = next;
  return () => {
    if (ask === next) ask = null;
  };
}
