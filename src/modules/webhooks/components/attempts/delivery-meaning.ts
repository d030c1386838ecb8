import { formatMoment } from '@/lib/format';
import type { AttemptFailure, Delivery, DeliveryAttempt } from '../../schema';

type Meaning = { title: string; text: string };

const PROXY: Meaning = {
  title: 'A proxy in front of the endpoint answered, not the endpoint.',
  text: 'Check that the service behind it is running and not overloaded, then replay.',
};
const NOT_LET_IN: Meaning = {
  title: 'The endpoint did not accept who it is from.',
  text: 'Check that it has the current secret and signs the raw body, and that nothing before it asks for a sign-in.',
};

const STATUSES: Record<number, Meaning> = {
  400: {
    title: 'The endpoint did not understand it.',
    text: 'Its answer or its log says why; often it expects a body of another form.',
  },
  401: NOT_LET_IN,
  403: NOT_LET_IN,
  404: {
    title: 'There is nothing at that path.',
    text: 'Compare the address in the settings with the endpoint’s own.',
  },
  405: {
    title: 'The endpoint takes no POST there.',
    text: 'Compare the address in the settings with the endpoint’s own.',
  },
  408: {
    title: 'The endpoint waited in vain for the rest.',
    text: 'Something between here and there is slow or cuts off.',
  },
  410: {
    title: 'The endpoint says that it is gone for good.',
    text: 'Enter its new address in the settings, or switch the webhook off.',
  },
  413: {
    title: 'The body is too large for the endpoint.',
    text: 'Raise its limit, or leave out mail.received.full, which carries whole messages.',
  },
  415: { title: 'The endpoint takes no JSON.', text: 'Let it accept the content type application/json.' },
  429: {
    title: 'The endpoint asks for fewer requests.',
    text: 'Retries come later by themselves; if this stays, choose fewer events or raise its limit.',
  },
  500: { title: 'The endpoint failed while it worked on this.', text: 'Its log of that moment says why; then replay.' },
  502: PROXY,
  503: PROXY,
  504: PROXY,
};

const FAILURES: Record<Exclude<AttemptFailure, 'status'>, Meaning> = {
  redirect: {
    title: 'The endpoint sends elsewhere, and redirects are not followed.',
    text: 'Enter the final address in the settings; often it differs by a slash at the end.',
  },
  timeout: {
    title: 'No whole answer came within 10 seconds.',
    text: 'Let the endpoint answer at once and work afterwards, or check that a firewall lets this server in.',
  },
  dns: {
    title: 'The host name was not found.',
    text: 'Check its spelling in the settings and its DNS records, then replay.',
  },
  blocked_address: {
    title: 'The host is at a private or reserved address.',
    text: 'Postroom does not connect to those unless it is started with WEBHOOK_ALLOW_PRIVATE_NETWORKS=true.',
  },
  connect: {
    title: 'Nothing took the connection.',
    text: 'Check that the service is running, and that a firewall lets this server in, then replay.',
  },
  tls: {
    title: 'No trusted TLS connection came about.',
    text: 'The answer says why. Renew the certificate, or serve its whole chain, then replay.',
  },
  broken: {
    title: 'The connection broke before an answer came.',
    text: 'Often the service crashes or restarts: its log of that moment says why.',
  },
  bad_answer: {
    title: 'What came back is not a valid HTTP answer.',
    text: 'Check that the port is that of a web server, and not of another service.',
  },
  bad_url: { title: 'The address cannot be used.', text: 'Correct it in the settings, then replay.' },
};

/** What became of an attempt, in plain words, and what to do. */
export function meaningOf({ failure, status_code: code }: DeliveryAttempt): Meaning {
  if (failure === null) return { title: 'The endpoint took it.', text: 'Nothing needs doing.' };
  if (failure !== 'status') return FAILURES[failure];
  const known = STATUSES[code ?? 0];
  if (known) return known;
  return (code ?? 0) >= 500
    ? { title: 'The endpoint failed while it worked on this.', text: 'Its log of that moment says why; then replay.' }
    : { title: 'The endpoint refused it.', text: 'Its answer or its log says why.' };
}

/** What comes next by itself. */
export function outlookOf(delivery: Delivery, isHeld: boolean): string | null {
  const { status, is_test: isTest, next_attempt_at: next } = delivery;
  if (status === 'abandoned') return isTest ? 'A test is sent once only.' : 'It is not tried again by itself.';
  if (status === 'delivered' || delivery.in_flight || next === null) return null;
  return isHeld ? 'It waits until the webhook is on.' : `It is tried again at ${formatMoment(next)}.`;
}
