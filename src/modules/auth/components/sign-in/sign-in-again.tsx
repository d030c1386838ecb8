'use client';

import dynamic from 'next/dynamic';

/** Loaded when a session is lost. In a server component, such as the layout, `dynamic` would load it with the page. */
export const SignInAgain = dynamic(() => import('./sign-in-again-dialog').then((module) => module.SignInAgainDialog), {
  ssr: false,
});
