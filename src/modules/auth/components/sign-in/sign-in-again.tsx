'use client';

import dynamic from 'next/dynamic';
import { useEffect } from 'react';
import { reportSessionRegained, useSessionLost } from '@/components/api/session-lost';
import { loadPart } from '@/components/load-part';

/** After what the page itself loads. */
const LOADED_AFTER_MS = 5_000;

/** Loads both steps of the sign-in. */
function load() {
  const parts = Promise.all([import('./sign-in-again-dialog'), import('./code-form')]);
  return loadPart(parts.then(([{ SignInAgainDialog }]) => SignInAgainDialog));
}

const Dialog = dynamic(load, { ssr: false });

/** Is loaded while the session lasts: before it ends, an upgrade may have replaced the scripts. */
export function SignInAgain() {
  const isLost = useSessionLost();
  useEffect(() => {
    const timer = setTimeout(() => void load(), LOADED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLost && <Dialog onClose={reportSessionRegained} />;
}
