import { createKey, signIn } from '../../testing/app.mjs';
import { openDatabase, startInstances } from '../instances.mjs';
import { startReceivers } from '../receivers.mjs';
import { trusting } from '../trusting.mjs';
import { createClient } from './client.mjs';
import { HOST_NAME, startNginx } from './nginx.mjs';
import { startSmtpSink } from './smtp-sink.mjs';

// Long enough for a kill to interrupt deliveries, and submissions that the mail server has accepted.
const WEBHOOK_ANSWERS_AFTER_MS = 200;
const SMTP_ANSWERS_AFTER_MS = 80;

/** Two instances behind nginx, with a mail server and a webhook endpoint that record what they get. */
export async function startProxied({ root, env, adminUrl, lifetime, settings = {}, domain = 'proxied.example' }) {
  const receivers = await startReceivers(() => 200, WEBHOOK_ANSWERS_AFTER_MS);
  lifetime.atEnd(receivers.close);
  const sink = await startSmtpSink(SMTP_ANSWERS_AFTER_MS);
  lifetime.atEnd(sink.close);
  const db = openDatabase(adminUrl, lifetime);
  const own = { SMTP_URL: sink.url, APP_URL: `https://${HOST_NAME}`, TRUSTED_PROXIES: '127.0.0.1', ...settings };
  const instances = await startInstances(2, { root, env: { ...trusting(env, receivers.cert), ...own }, lifetime });
  const ports = instances.map(({ port }) => port);
  const nginx = await startNginx({ root, ports, lifetime });
  const [{ port }] = instances;
  const key = await createKey(port);
  const cookie = await signIn(port);
  const call = createClient(nginx);
  const bearer = { authorization: `Bearer ${key}` };
  const admin = async (path, body, method = body ? 'POST' : 'GET') => {
    const { status, body: answer } = await call(path, { method, headers: bearer, body });
    if (!answer || answer.error) throw new Error(`${path}: ${status} ${JSON.stringify(answer?.error)}`);
    return answer.data;
  };
  await admin('/domains', { name: domain });
  await admin('/abuse/thresholds', { mailbox_hourly: 1_000_000, domain_hourly: 1_000_000 }, 'PATCH');
  const webhook = await admin('/webhooks', { url: `${receivers.url}/all`, events: ['*'] });
  return { receivers, sink, db, instances, nginx, key, cookie, call, admin, webhook, domain };
}
