import { uuidv7 } from '@/lib/uuid';
import { sealBytes } from '@/server/secrets/sealing';
import { db } from '../../database';
import {
  makeAbandonedDelivery,
  makeAlias,
  makeApiKey,
  makeDkimKey,
  makeMailbox,
  makeScheduled,
  makeSession,
  makeSuppression,
  makeTemplate,
  makeWebhook,
  unique,
} from '../../factories';
import { keyClient } from '../../rest';
import { type Call, MISSING_ID, type Scenario } from './scenario';

export async function messagePath({ id }: { id: string }): Promise<Call> {
  if (id === MISSING_ID) return { path: `/messages/${MISSING_ID}` };
  const data = {
    messageId: `<${uuidv7()}@matrix.example>`,
    domainId: id,
    direction: 'outbound' as const,
    fromAddress: 'a@b.example',
    toAddresses: ['c@d.example'],
    subject: 'Matrix',
    sizeBytes: 1,
    status: 'sent' as const,
  };
  const message = await db.message.create({ data, select: { id: true } });
  return { path: `/messages/${message.id}` };
}

export function contentCall(part: string) {
  return async (domain: { id: string }): Promise<Call> => ({ path: `${(await messagePath(domain)).path}${part}` });
}

export function scheduledCall(verb: string, body?: object) {
  return async (domain: { id: string }): Promise<Call> => {
    const { path } = await messagePath(domain);
    const messageId = path.split('/')[2] as string;
    if (messageId === MISSING_ID) return { path: `${path}${verb}`, body };
    await makeScheduled(messageId);
    return { path: `${path}${verb}`, body };
  };
}

export function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}

export function aliasCall(body?: object) {
  return async ({ id }: { id: string }): Promise<Call> => {
    const aliasId = id === MISSING_ID ? id : (await makeAlias(id, unique(), 'a@far.example')).id;
    return { path: `/aliases/${aliasId}`, body };
  };
}

export function dkimKeyPath(verb = '') {
  return async ({ id }: { id: string }): Promise<Call> => {
    if (id === MISSING_ID) return { path: `/domains/${id}/dkim/matrix${verb}` };
    // A domain has at most one pending key.
    const pending = await db.dkimKey.findFirst({ where: { domainId: id, status: 'pending' } });
    const { selector } = pending ?? (await makeDkimKey(id, { status: 'pending' }));
    return { path: `/domains/${id}/dkim/${selector}${verb}` };
  };
}

export function mailboxCall(verb = '', body?: object, suspendedAt?: Date) {
  return async ({ id }: { id: string }): Promise<Call> => {
    const mailboxId = id === MISSING_ID ? id : (await makeMailbox(id, unique(), { suspendedAt })).id;
    return { path: `/mailboxes/${mailboxId}${verb}`, body };
  };
}

export function filterCall(body?: object) {
  return async ({ id: domainId }: { id: string }): Promise<Call> => {
    if (domainId === MISSING_ID) return { path: `/sieve-filters/${MISSING_ID}`, body };
    const data = { scope: 'domain' as const, domainId, name: unique(), script: 'keep;' };
    const { id } = await db.sieveFilter.create({ data, select: { id: true } });
    return { path: `/sieve-filters/${id}`, body };
  };
}

export function templateCall(verb = '', body?: object) {
  return async ({ id: domainId }: { id: string }): Promise<Call> => {
    const id = domainId === MISSING_ID ? domainId : (await makeTemplate(domainId)).id;
    return { path: `/templates/${id}${verb}`, body };
  };
}

export async function deletedRecordCall({ id }: { id: string }): Promise<Call> {
  const record = { id: MISSING_ID };
  if (id !== MISSING_ID) {
    const alias = await makeAlias(id, unique(), 'ann@far.example');
    record.id = alias.id;
    const api = await keyClient();
    await api.delete(`/aliases/${alias.id}`);
  }
  return { path: `/deleted-records/${record.id}/restore` };
}

export async function suppressionPath({ id }: { id: string }): Promise<Call> {
  const suppressionId = id === MISSING_ID ? id : (await makeSuppression(id, `${unique()}@far.example`)).id;
  return { path: `/suppressions/${suppressionId}` };
}

export async function unreadBouncePath({ id }: { id: string }): Promise<Call> {
  const bounceId = uuidv7();
  if (id !== MISSING_ID) {
    const raw = sealBytes(`unread_bounce.raw:${bounceId}`, [Buffer.from('Subject: x')]);
    const data = { id: bounceId, domainId: id, address: 'x', sizeBytes: 10, raw, receivedAt: new Date() };
    await db.unreadBounce.create({ data });
  }
  return { path: `/unread-bounces/${bounceId}/raw` };
}

export function webhookCall(verb = '', body?: object) {
  return async ({ id }: { id: string }): Promise<Call> => {
    const webhookId = id === MISSING_ID ? id : (await makeWebhook({ domainId: id })).id;
    return { path: `/webhooks/${webhookId}${verb}`, body };
  };
}

export function deliveryCall(verb = '') {
  return async ({ id }: { id: string }): Promise<Call> => {
    if (id === MISSING_ID) return { path: `/webhooks/${id}/deliveries/${id}${verb}` };
    const webhook = await makeWebhook({ domainId: id });
    const delivery = await makeAbandonedDelivery(webhook.id, { domainId: id });
    return { path: `/webhooks/${webhook.id}/deliveries/${delivery.id}${verb}` };
  };
}

export async function alertCall(domainId: string): Promise<Call> {
  const alert = {
    kind: 'volume_spike' as const,
    severity: 'warning' as const,
    subject: `${unique()}@b.example`,
    domainId,
    count: 60,
    expected: 2,
  };
  const { id } = await db.alert.create({ data: alert, select: { id: true } });
  return { path: `/abuse/alerts/${id}`, body: { status: 'closed' } };
}

export async function alertMutePath(domainId: string): Promise<Call> {
  const by = { createdBy: MISSING_ID, createdByEmail: 'ops@a.example' };
  const { id } = await db.alertMute.create({ data: { domainId, subject: unique(), ...by }, select: { id: true } });
  return { path: `/alert-mutes/${id}` };
}

function reportOf(domainId: string) {
  const at = new Date('2026-11-20T00:00:00Z');
  const sender = { organisation: 'Far', reportId: unique(), beginAt: at, endAt: at, receivedAt: at };
  return { ...sender, domainId, fingerprint: Buffer.from(unique()), isTruncated: false, source: 'mail' as const };
}

export async function dmarcReportCall({ id: domainId }: { id: string }): Promise<Call> {
  if (domainId === MISSING_ID) return { path: `/dmarc/reports/${MISSING_ID}` };
  const policy = { domain: 'a.example', p: null, sp: null, np: null, adkim: null, aspf: null };
  const found = { ...policy, pct: null, fo: null, testing: null, discovery_method: null };
  const counts = { messages: 0, aligned: 0, rowCount: 0, email: '' };
  const data = { ...reportOf(domainId), ...counts, policy: found };
  const { id } = await db.dmarcReport.create({ data, select: { id: true } });
  return { path: `/dmarc/reports/${id}` };
}

export async function tlsReportCall({ id: domainId }: { id: string }): Promise<Call> {
  if (domainId === MISSING_ID) return { path: `/tls/reports/${MISSING_ID}` };
  const { beginAt: day, ...report } = reportOf(domainId);
  const data = { ...report, beginAt: day, day, contact: '', sessions: 0, failedSessions: 0, policies: [], rowCount: 0 };
  const { id } = await db.tlsReport.create({ data, select: { id: true } });
  return { path: `/tls/reports/${id}` };
}

export function outgoing(domain: { name: string }) {
  return { from: { email: `a@${domain.name}` }, to: [{ email: 'b@far.example' }], subject: 's', text_body: 't' };
}

export async function sessionPath(adminId: string): Promise<Call> {
  return { path: `/auth/sessions/${(await makeSession(adminId)).session.id}` };
}

export async function viewCall(adminId: string, body?: object): Promise<Call> {
  const data = { adminId, page: 'messages', name: unique(), query: 'status=bounced' };
  return { path: `/auth/me/views/${(await db.savedView.create({ data })).id}`, body };
}

export async function keyPath(adminId: string, scenario: Scenario): Promise<Call> {
  const isChildKey = adminId === scenario.adminId && scenario.credential === 'scoped key';
  const { row } = await makeApiKey(adminId, {
    scopedDomainIds: [scenario.domains.own.id],
    parentId: isChildKey ? scenario.keyId : null,
  });
  return { path: `/api-keys/${row.id}` };
}
