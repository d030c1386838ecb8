import { Button } from '@mantine/core';
import { Notice } from '@/components/layout/notice';

/** Whether the browser sends the session cookie of a sign-in. If the server doesn't answer, the next page says so. */
export async function hasSessionCookie(): Promise<boolean> {
  const response = await fetch('/api/v1/auth/me').catch(() => null);
  return response?.status !== 401;
}

/** Explains why a sign-in leads nowhere. The cookie is Secure, which Safari rejects from http://localhost, too. */
export function NoCookie({ onRetry }: { onRetry: () => void }) {
  return (
    <>
      <Notice status="bounced" title="Your browser didn’t keep the session cookie" role="alert">
        <p>
          Allow cookies for this site.
          {window.location.protocol === 'http:' &&
            ' Over http, browsers keep the cookie on localhost only, and Safari not even there: use https, or Chrome, Edge or Firefox on localhost.'}
        </p>
      </Notice>
      <Button variant="filled" fullWidth onClick={onRetry}>
        Sign in again
      </Button>
    </>
  );
}
