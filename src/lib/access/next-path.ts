/** Returns the path of this site that a sign-in goes on to; the overview for anything else. */
export function safeNextPath(next: string | null | undefined): string {
  if (!next?.startsWith('/') || /^\/[/\\]/.test(next) || /[\\\s]/.test(next)) return '/';
  return next.startsWith('/login') || next.startsWith('/setup') ? '/' : next;
}
