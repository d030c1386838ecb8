'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { confirmLeave, guardNavigation } from './navigation-guard';
import { interceptBack } from './use-back';

type UnsavedGuardProps = { isDirty: boolean; what: string; action?: string };

/** While a form has unsaved changes, links, the palette, the Back button and closing the tab ask first. */
export function UnsavedGuard({ isDirty, what, action = 'Leave without saving' }: UnsavedGuardProps) {
  const router = useRouter();
  const [pending, setPending] = useState<{ go: () => void } | null>(null);

  useEffect(() => {
    if (!isDirty) return;
    const stopGuarding = guardNavigation((go) => setPending({ go }));
    const stopWatching = watchBrowser((href) => router.push(href));
    return () => {
      stopGuarding();
      stopWatching();
    };
  }, [isDirty, router]);

  return (
    <ConfirmDialog
      opened={isDirty && pending !== null}
      title="Leave this page?"
      action={action}
      problem={null}
      isBusy={false}
      onClose={() => setPending(null)}
      onConfirm={() => {
        setPending(null);
        pending?.go();
      }}
    >
      <p className="soft">{what}</p>
    </ConfirmDialog>
  );
}

function watchBrowser(push: (href: string) => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;

  const onClick = (event: MouseEvent) => {
    const href = hrefOf(event);
    if (href === null) return;
    event.preventDefault();
    event.stopPropagation();
    confirmLeave(() => push(href));
  };
  const stopBack = interceptBack(({ key, url }) => {
    if (url === window.location.href) return false;
    confirmLeave(() => {
      stop.abort();
      stopBack();
      window.navigation.traverseTo(key);
    });
    return true;
  });
  // Capture clicks before the router's links handle them.
  window.addEventListener('click', onClick, { capture: true, signal });
  window.addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
  return () => {
    stop.abort();
    stopBack();
  };
}

/** The target of a plain click on a link to this site, or null for any other click. */
function hrefOf(event: MouseEvent): string | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || link.download || link.origin !== window.location.origin) return null;
  if (link.pathname === window.location.pathname && link.hash !== '') return null;
  return `${link.pathname}${link.search}${link.hash}`;
}
