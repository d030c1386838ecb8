type LeavePrompt = (go: () => void) => void;

let ask: LeavePrompt | null = null;

/** Leaves the page, after confirmation if a form has unsaved changes. */
export function confirmLeave(go: () => void): void {
  if (ask) ask(go);
  else go();
}

/** Registers a form with unsaved changes. @returns a function that unregisters it */
export function guardNavigation(next: LeavePrompt): () => void {
  ask = next;
  return () => {
    if (ask === next) ask = null;
  };
}
