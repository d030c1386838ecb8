'use client';

import { useSearchParams } from 'next/navigation';
import { Notice } from '@/components/layout/notice';
import type { OidcError } from '../../oidc/schema';

type Said = { title: string; advice: string };

const AGAIN = 'Try again. If it keeps failing, see the server log.';

const ERRORS: Record<OidcError | 'internal_error' | 'rate_limit_exceeded' | 'service_unavailable', Said> = {
  access_denied: {
    title: 'The identity provider denied access',
    advice: 'Try another account, or ask its administrator.',
  },
  already_linked: {
    title: 'Your account is already linked',
    advice: 'Disconnect the linked account before you link another one.',
  },
  expired: {
    title: 'This sign-in has expired or was already used',
    advice: 'Start again, and finish in this browser within 15 minutes.',
  },
  identity_taken: {
    title: 'That account is linked to another admin',
    advice: 'Nothing was linked. Choose another account at the identity provider.',
  },
  internal_error: { title: 'Something went wrong on the server', advice: AGAIN },
  no_account: {
    title: 'That account isn’t linked to an admin',
    advice: 'Sign in with your password and link it on the account page, or ask a super admin for access.',
  },
  provider_unavailable: { title: 'The identity provider isn’t responding', advice: 'Try again in a moment.' },
  rate_limit_exceeded: { title: 'Too many sign-ins from your IP address', advice: 'Try again in a moment.' },
  service_unavailable: { title: 'Sign-in is temporarily unavailable', advice: 'Try again in a moment.' },
  session_ended: {
    title: 'Your session ended before the account was linked',
    advice: 'Nothing was linked. Sign in and link it again.',
  },
  sign_in_failed: { title: 'The identity provider’s response was rejected', advice: AGAIN },
};

/** Explains why single sign-on or linking failed, by the code in `?error=`. */
export function OidcNotice() {
  const code = useSearchParams().get('error');
  if (!code) return null;
  const { title, advice } = Object.hasOwn(ERRORS, code) ? ERRORS[code as OidcError] : ERRORS.sign_in_failed;
  return (
    <Notice status="bounced" title={title} role="alert">
      <p>{advice}</p>
    </Notice>
  );
}
