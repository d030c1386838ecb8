'use client';

import { useSearchParams } from 'next/navigation';
import { StatusMark } from '@/components/marks/status-mark';
import type { OidcError } from '../../oidc/schema';

type Said = { title: string; advice: string };

const AGAIN = 'Try it again. If it comes back, the log of the server says why.';

const ERRORS: Record<OidcError | 'internal_error' | 'rate_limit_exceeded' | 'service_unavailable', Said> = {
  access_denied: { title: 'The identity provider did not let you through', advice: 'It says that access was denied.' },
  already_linked: {
    title: 'An account is linked to you already',
    advice: 'Disconnect it first if another one shall take its place.',
  },
  expired: {
    title: 'This sign-in has expired or was used before',
    advice: 'Begin it again here, and finish it in this browser within 15 minutes.',
  },
  identity_taken: {
    title: 'That account belongs to another admin',
    advice: 'Nothing was linked. Choose another account at the identity provider.',
  },
  internal_error: { title: 'Something went wrong on our side', advice: AGAIN },
  no_account: {
    title: 'No admin here is linked to that account',
    advice: 'Sign in with your password and link it on your account page, or ask a super_admin for an account.',
  },
  provider_unavailable: { title: 'The identity provider does not answer', advice: 'Try it again in a moment.' },
  rate_limit_exceeded: { title: 'Too many sign-ins from your address at once', advice: 'Try it again in a moment.' },
  service_unavailable: { title: 'The server cannot sign anybody in just now', advice: 'Try it again in a moment.' },
  session_ended: {
    title: 'Your session ended before the account was linked',
    advice: 'Nothing was linked. Sign in and link it again.',
  },
  sign_in_failed: { title: 'The answer of the identity provider was not accepted', advice: AGAIN },
};

/** Why a browser came back from an identity provider without what it went for. Of `?error=` only its code is read. */
export function OidcNotice() {
  const code = useSearchParams().get('error');
  if (!code) return null;
  const { title, advice } = Object.hasOwn(ERRORS, code) ? ERRORS[code as OidcError] : ERRORS.sign_in_failed;
  return (
    <div className="alert" role="alert" data-tone="bounced">
      <StatusMark status="bounced">{title}</StatusMark>
      <p>{advice}</p>
    </div>
  );
}
