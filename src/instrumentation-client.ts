import { beginNavigation } from './components/shell/navigation/pending-navigation';

/** Called by the router of Next.js before each navigation. */
export function onRouterTransitionStart(url: string): void {
  beginNavigation(url);
}
