import { formatMoment } from '@/lib/format';
import type { AttemptFailure, Delivery, DeliveryAttempt } from '../../schema';

type Explanation = { title: string; text: string };

const PROXY: Explanation = {
  title: 'A proxy in front of the endpoint responded.',
  text: 'Check that the endpoint is running and not overloaded, then replay.',
};
const UNAUTHORIZED: Explanation = {
  title: 'The endpoint rejected the request as unauthorized.',
  text: 'Check that it uses the current secret and verifies the raw body, and that no proxy in front of it requires sign-in.',
};

const ENDPOINT_ERROR: Explanation = {
  title: 'The endpoint failed to process the delivery.',
  text: 'Check the endpoint’s log, then replay.',
};

const STATUSES: Record<number, Explanation> = {
  400: {
    title: 'The endpoint couldn’t parse the request.',
    text: 'Check the response or the endpoint’s log. It may expect a different body format.',
  },
  401: UNAUTHORIZED,
  403: UNAUTHORIZED,
  404: {
    title: 'The URL path doesn’t exist.',
    text: 'Check the endpoint URL in Settings.',
  },
  405: {
    title: 'The endpoint doesn’t accept POST requests.',
    text: 'Check the endpoint URL in Settings.',
  },
  408: {
    title: 'The endpoint timed out waiting for the request.',
    text: 'Check the network and any proxy between this server and the endpoint.',
  },
  410: {
    title: 'The endpoint was permanently removed.',
    text: 'Enter the new URL in Settings, or deactivate the webhook.',
  },
  413: {
    title: 'The body is too large for the endpoint.',
    text: 'Raise its limit, or unsubscribe from mail.received.full, which contains entire messages.',
  },
  415: { title: 'The endpoint doesn’t accept JSON.', text: 'Allow the content type application/json.' },
  429: {
    title: 'The endpoint is rate limiting requests.',
    text: 'Failed deliveries are retried. If this continues, subscribe to fewer events or raise the endpoint’s limit.',
  },
  500: ENDPOINT_ERROR,
  502: PROXY,
  503: PROXY,
  504: PROXY,
};

const FAILURES: Record<Exclude<AttemptFailure, 'status'>, Explanation> = {
  redirect: {
    title: 'The endpoint redirected the request, and redirects aren’t followed.',
    text: 'Enter the final URL in Settings. Often it differs only by a trailing slash.',
  },
  timeout: {
    title: 'No complete response within 10 seconds.',
    text: 'Respond before doing long work, and check that no firewall blocks this server.',
  },
  dns: {
    title: 'Host not found.',
    text: 'Check the URL in Settings and the DNS records of the host, then replay.',
  },
  blocked_address: {
    title: 'The host resolves to a private or reserved address.',
    text: 'Postroom connects to these only with WEBHOOK_ALLOW_PRIVATE_NETWORKS=true.',
  },
  connect: {
    title: 'Couldn’t connect to the endpoint.',
    text: 'Check that it is running and that no firewall blocks this server, then replay.',
  },
  tls: {
    title: 'TLS connection failed.',
    text: 'The reason is shown below. Renew the certificate or send its full chain, then replay.',
  },
  broken: {
    title: 'The connection was lost before a response arrived.',
    text: 'The endpoint may have crashed or restarted. Check its log.',
  },
  bad_answer: {
    title: 'The response isn’t valid HTTP.',
    text: 'Check that the port belongs to a web server.',
  },
  bad_secret: {
    title: 'The webhook’s secret can’t be decrypted.',
    text: 'Nothing was sent, because SECRET_KEY no longer has the key. Rotate the secret, then replay.',
  },
  bad_url: { title: 'The endpoint URL is invalid.', text: 'Correct it in Settings, then replay.' },
};

/** The result of an attempt in plain words, and what to do about it. */
export function explainAttempt({ failure, status_code: code }: DeliveryAttempt): Explanation {
  if (failure === null) return { title: 'The endpoint accepted the delivery.', text: 'No action needed.' };
  if (failure !== 'status') return FAILURES[failure];
  const known = STATUSES[code ?? 0];
  if (known) return known;
  return (code ?? 0) >= 500
    ? ENDPOINT_ERROR
    : { title: 'The endpoint rejected the delivery.', text: 'Check the response or the endpoint’s log.' };
}

/** Returns what happens next automatically, or null if nothing does. */
export function explainNext(delivery: Delivery, isInactive: boolean): string | null {
  const { status, is_test: isTest, next_attempt_at: next } = delivery;
  if (status === 'abandoned') return isTest ? 'Tests aren’t retried.' : 'The delivery won’t be retried automatically.';
  if (status === 'delivered' || delivery.in_flight || next === null) return null;
  return isInactive ? 'On hold until the webhook is active.' : `Next retry at ${formatMoment(next)}.`;
}
