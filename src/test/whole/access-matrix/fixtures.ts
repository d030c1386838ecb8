import { makeBackup, makeBackupOperation, runBackupOperation } from '../../backup-records';
import { makeNode, makeOperation, unique } from '../../factories';
import { dmarcXml } from '../../reports/dmarc-report';
import { tlsReport } from '../../reports/tls-report';
import {
  alertCall,
  alertMutePath,
  aliasCall,
  contentCall,
  deletedRecordCall,
  deliveryCall,
  dkimKeyPath,
  dmarcReportCall,
  filterCall,
  inAnHour,
  keyPath,
  mailboxCall,
  messagePath,
  outgoing,
  scheduledCall,
  sessionPath,
  suppressionPath,
  templateCall,
  tlsReportCall,
  unreadBouncePath,
  viewCall,
  webhookCall,
} from './calls';
import { type Call, type Fixture, MISSING_ID, type Outcome, PASSWORD, type Scenario, type Target } from './scenario';

/** A call without a resource. */
function plain(path: string, body?: object, success?: Outcome): Fixture {
  return { kind: 'shared', targets: { own: () => ({ path, body }) }, success };
}

/** No provider is configured here; the specs in e2e/sign-in/oidc have one. */
function withoutProvider(path: string): Fixture {
  return { kind: 'shared', targets: { missing: () => ({ path }) } };
}

/** A call about one row, which `make` creates in the domain of each target. */
function inDomain(make: (domain: { id: string; name: string }) => Promise<Call>): Fixture {
  const at = (target: Target) => (scenario: Scenario) => make(scenario.domains[target]);
  return { kind: 'of a domain', targets: { own: at('own'), foreign: at('foreign'), missing: at('missing') } };
}

function namingDomain(call: (domain: { id: string; name: string }) => Call, over: Partial<Fixture> = {}): Fixture {
  const at = (target: Target) => (scenario: Scenario) => call(scenario.domains[target]);
  const targets = { own: at('own'), foreign: at('foreign'), missing: at('missing') };
  return { kind: 'named domain', targets, missing: { status: 404, code: 'DOMAIN_NOT_FOUND' }, ...over };
}

function aboutAdmin(call: (id: string) => Call, over: Partial<Fixture> = {}): Fixture {
  const targets: Fixture['targets'] = {
    own: (scenario) => call(scenario.strangerId),
    missing: () => call(MISSING_ID),
  };
  return { kind: 'shared', targets, ...over };
}

/** A call about a saved view, which belongs to one admin as a session does. */
function ownView(body?: object): Fixture {
  return {
    kind: 'own session',
    targets: {
      own: ({ adminId }) => viewCall(adminId, body),
      foreign: ({ strangerId }) => viewCall(strangerId, body),
      missing: () => ({ path: `/auth/me/views/${MISSING_ID}`, body }),
    },
  };
}

function node(call: (path: string) => Call, isAlive: boolean): Fixture {
  return {
    kind: 'shared',
    targets: {
      own: async () => call(`/cluster/nodes/${(await makeNode({ isAlive })).id}`),
      missing: () => call(`/cluster/nodes/${MISSING_ID}`),
    },
  };
}

/** While another instance runs an operation, so that none works here. */
const BACKUP_RUNS = { status: 409, code: 'CONFLICT' };

function backup(verb: string, body?: object, success?: Outcome): Fixture {
  return {
    kind: 'shared',
    targets: {
      own: async () => {
        await runBackupOperation();
        return { path: `/backups/${(await makeBackup()).id}${verb}`, body };
      },
      missing: () => ({ path: `/backups/${MISSING_ID}${verb}`, body }),
    },
    success,
  };
}

const NEW_ADMIN = { password: PASSWORD, role: 'domain_admin' };
const SENDING_UNAVAILABLE = { status: 503, code: 'SEND_UNAVAILABLE' };
const NO_MAIL_SERVER = { status: 503, code: 'MAIL_STACK_UNAVAILABLE' };
const NOTHING_LINKED = { status: 409, code: 'CONFLICT' };
const NO_CONTENT = { status: 404, code: 'CONTENT_UNAVAILABLE' };
const NO_SECOND_FACTOR = { status: 409, code: 'CONFLICT' };

/** One entry per route. The test fails for a route without an entry. */
export const FIXTURES: Record<string, Fixture> = {
  'GET /health': plain('/health'),
  'GET /version': plain('/version'),
  'GET /system/health': plain('/system/health'),
  'GET /system/health/export': plain('/system/health/export'),
  'POST /system/health/check': plain('/system/health/check'),
  'GET /system/health/history': plain('/system/health/history'),
  'GET /system/health/{name}/history': plain('/system/health/disk/history'),

  'POST /auth/login': {
    kind: 'shared',
    targets: { own: () => ({ path: '/auth/login', body: { email: `${unique()}@nowhere.example`, password: 'x' } }) },
    success: { status: 401, code: 'INVALID_CREDENTIALS' },
  },
  'GET /auth/me': plain('/auth/me'),
  'POST /auth/logout': plain('/auth/logout'),
  'POST /auth/logout-all': plain('/auth/logout-all'),
  'POST /auth/password': plain('/auth/password', { current_password: PASSWORD, new_password: `${PASSWORD} again` }),
  'POST /auth/totp/setup': plain('/auth/totp/setup'),
  'POST /auth/totp/verify': plain('/auth/totp/verify', { code: '123456' }, NO_SECOND_FACTOR),
  'DELETE /auth/totp': plain('/auth/totp', { code: '123456' }, NO_SECOND_FACTOR),
  'GET /auth/oidc/providers': plain('/auth/oidc/providers'),
  'GET /auth/oidc/login/{provider}': withoutProvider('/auth/oidc/login/nobody'),
  'GET /auth/oidc/callback/{provider}': withoutProvider('/auth/oidc/callback/nobody'),
  'POST /auth/oidc/link/{provider}': withoutProvider('/auth/oidc/link/nobody'),
  'DELETE /auth/oidc/disconnect': plain('/auth/oidc/disconnect', undefined, NOTHING_LINKED),
  'PATCH /auth/me': plain('/auth/me', { time_zone: 'Europe/Berlin' }),
  'GET /auth/me/views': plain('/auth/me/views'),
  'POST /auth/me/views': plain('/auth/me/views', { page: 'messages', name: 'Bounces', query: 'status=bounced' }),
  'PATCH /auth/me/views/{id}': ownView({ query: 'status=failed' }),
  'DELETE /auth/me/views/{id}': ownView(),
  'GET /auth/sessions': plain('/auth/sessions'),
  'DELETE /auth/sessions/{id}': {
    kind: 'own session',
    targets: {
      own: ({ adminId }) => sessionPath(adminId),
      foreign: ({ strangerId }) => sessionPath(strangerId),
      missing: () => ({ path: `/auth/sessions/${MISSING_ID}` }),
    },
  },

  'GET /admins': plain('/admins'),
  'GET /admins/export': plain('/admins/export'),
  'POST /admins': {
    kind: 'shared',
    targets: {
      own: () => ({ path: '/admins', body: { ...NEW_ADMIN, email: `${unique()}@admins.example` } }),
      missing: () => ({
        path: '/admins',
        body: { ...NEW_ADMIN, email: `${unique()}@admins.example`, domain_ids: [MISSING_ID] },
      }),
    },
    missing: { status: 404, code: 'DOMAIN_NOT_FOUND' },
  },
  'GET /admins/{id}': {
    kind: 'own admin',
    targets: {
      own: ({ adminId }) => ({ path: `/admins/${adminId}` }),
      foreign: ({ strangerId }) => ({ path: `/admins/${strangerId}` }),
      missing: () => ({ path: `/admins/${MISSING_ID}` }),
    },
  },
  'PATCH /admins/{id}': aboutAdmin((id) => ({ path: `/admins/${id}`, body: { role: 'domain_admin' } })),
  'DELETE /admins/{id}': aboutAdmin((id) => ({ path: `/admins/${id}` })),
  'DELETE /admins/{id}/totp': aboutAdmin((id) => ({ path: `/admins/${id}/totp` }), { success: NO_SECOND_FACTOR }),

  'GET /admins/{id}/oidc': aboutAdmin((id) => ({ path: `/admins/${id}/oidc` })),
  'DELETE /admins/{id}/oidc': aboutAdmin((id) => ({ path: `/admins/${id}/oidc` }), { success: NOTHING_LINKED }),

  'GET /api-keys': plain('/api-keys'),
  'GET /api-keys/export': plain('/api-keys/export'),
  'POST /api-keys': namingDomain(({ id }) => ({ path: '/api-keys', body: { name: 'm', scoped_domain_ids: [id] } })),
  'DELETE /api-keys/{id}': {
    kind: 'own key',
    targets: {
      own: (scenario) => keyPath(scenario.adminId, scenario),
      foreign: (scenario) => keyPath(scenario.strangerId, scenario),
      missing: () => ({ path: `/api-keys/${MISSING_ID}` }),
    },
  },

  'GET /audit': plain('/audit'),
  'GET /audit/export': plain('/audit/export'),
  'GET /audit/verify': plain('/audit/verify'),

  'GET /domains': plain('/domains'),
  'GET /domains/export': plain('/domains/export'),
  'GET /domains/dns': plain('/domains/dns'),
  'GET /domains/dns/export': plain('/domains/dns/export'),
  'POST /domains': {
    kind: 'shared',
    targets: { own: () => ({ path: '/domains', body: { name: `${unique()}.example` } }) },
  },
  'GET /domains/{id}': inDomain(async ({ id }) => ({ path: `/domains/${id}` })),
  'PATCH /domains/{id}': inDomain(async ({ id }) => ({ path: `/domains/${id}`, body: { description: 'changed' } })),
  'DELETE /domains/{id}': inDomain(async ({ id }) => ({ path: `/domains/${id}` })),
  'GET /domains/{id}/dns': inDomain(async ({ id }) => ({ path: `/domains/${id}/dns` })),
  'GET /domains/{id}/dns/export': inDomain(async ({ id }) => ({ path: `/domains/${id}/dns/export` })),
  'POST /domains/{id}/dns/check': inDomain(async ({ id }) => ({ path: `/domains/${id}/dns/check` })),
  'GET /domains/{id}/dns/history': inDomain(async ({ id }) => ({ path: `/domains/${id}/dns/history` })),
  'GET /domains/{id}/dns/history/export': inDomain(async ({ id }) => ({ path: `/domains/${id}/dns/history/export` })),
  'GET /domains/{id}/dns/zone': inDomain(async ({ id }) => ({ path: `/domains/${id}/dns/zone` })),
  'GET /domains/{id}/dkim': inDomain(async ({ id }) => ({ path: `/domains/${id}/dkim` })),
  'POST /domains/{id}/dkim/rotate': inDomain(async ({ id }) => ({
    path: `/domains/${id}/dkim/rotate`,
    body: { algorithm: 'ed25519' },
  })),
  'POST /domains/{id}/dkim/{selector}/activate': inDomain(dkimKeyPath('/activate')),
  'GET /domains/{id}/dkim/{selector}/dns': inDomain(dkimKeyPath('/dns')),
  'DELETE /domains/{id}/dkim/{selector}': inDomain(dkimKeyPath()),

  'GET /aliases': namingDomain(({ id }) => ({ path: `/aliases?domain_id=${id}` })),
  'POST /aliases': namingDomain(({ id }) => ({
    path: '/aliases',
    body: { domain_id: id, source_local_part: 'info', destination: 'a@far.example' },
  })),
  'GET /aliases/resolve': namingDomain(({ name }) => ({ path: `/aliases/resolve?address=info@${name}` })),
  'POST /aliases/import': namingDomain(({ id }) => ({
    path: '/aliases/import',
    body: { domain_id: id, csv: 'source_local_part,destination\ninfo,a@far.example' },
  })),
  'GET /aliases/export': namingDomain(({ id }) => ({ path: `/aliases/export?domain_id=${id}` })),
  'GET /aliases/{id}': inDomain(aliasCall()),
  'PATCH /aliases/{id}': inDomain(aliasCall({ active: false })),
  'DELETE /aliases/{id}': inDomain(aliasCall()),

  'GET /mailboxes': namingDomain(({ id }) => ({ path: `/mailboxes?domain_id=${id}` })),
  'GET /mailboxes/export': namingDomain(({ id }) => ({ path: `/mailboxes/export?domain_id=${id}` })),
  'POST /mailboxes': namingDomain(({ id }) => ({
    path: '/mailboxes',
    body: { domain_id: id, local_part: 'ann', password: PASSWORD },
  })),
  'POST /mailboxes/import': namingDomain(({ id }) => ({
    path: '/mailboxes/import',
    body: { domain_id: id, csv: 'local_part\nann' },
  })),
  'GET /mailboxes/{id}': inDomain(mailboxCall()),
  'GET /mailboxes/{id}/client-settings': inDomain(mailboxCall('/client-settings')),
  'GET /mailboxes/{id}/sent': inDomain(mailboxCall('/sent')),
  'GET /mailboxes/{id}/sign-ins': inDomain(mailboxCall('/sign-ins')),
  'PATCH /mailboxes/{id}': inDomain(mailboxCall('', { display_name: 'Ann' })),
  'DELETE /mailboxes/{id}': inDomain(mailboxCall()),
  'POST /mailboxes/{id}/suspend': inDomain(mailboxCall('/suspend', { reason: 'm' })),
  'POST /mailboxes/{id}/unsuspend': inDomain(mailboxCall('/unsuspend', {}, new Date())),

  'GET /sieve-filters': namingDomain(({ id }) => ({ path: `/sieve-filters?domain_id=${id}` })),
  'GET /sieve-filters/export': namingDomain(({ id }) => ({ path: `/sieve-filters/export?domain_id=${id}` })),
  'POST /sieve-filters': namingDomain(
    ({ id }) => ({ path: '/sieve-filters', body: { scope: 'domain', domain_id: id, name: 'm', script: 'keep;' } }),
    { success: NO_MAIL_SERVER },
  ),
  'POST /sieve-filters/validate': plain('/sieve-filters/validate', { script: 'keep;' }, NO_MAIL_SERVER),
  'GET /sieve-filters/{id}': inDomain(filterCall()),
  'PATCH /sieve-filters/{id}': inDomain(filterCall({ active: false })),
  'DELETE /sieve-filters/{id}': inDomain(filterCall()),

  'GET /templates': namingDomain(({ id }) => ({ path: `/templates?domain_id=${id}` })),
  'GET /templates/export': namingDomain(({ id }) => ({ path: `/templates/export?domain_id=${id}` })),
  'POST /templates': namingDomain(({ id }) => ({
    path: '/templates',
    body: { domain_id: id, name: `t${unique()}`, subject: 'm', text_body: 'm' },
  })),
  'GET /templates/{id}': inDomain(templateCall()),
  'PATCH /templates/{id}': inDomain(templateCall('', { subject: 'Changed' })),
  'DELETE /templates/{id}': inDomain(templateCall()),
  'GET /templates/{id}/versions': inDomain(templateCall('/versions')),
  'GET /templates/{id}/versions/{number}': inDomain(templateCall('/versions/1')),
  'POST /templates/{id}/publish': inDomain(templateCall('/publish', {})),
  'POST /templates/{id}/preview': inDomain(templateCall('/preview', {})),

  'GET /deleted-records': plain('/deleted-records'),
  'GET /deleted-records/export': plain('/deleted-records/export'),
  'POST /deleted-records/{id}/restore': inDomain(deletedRecordCall),

  'GET /suppressions': namingDomain(({ id }) => ({ path: `/suppressions?domain_id=${id}` })),
  'GET /suppressions/export': namingDomain(({ id }) => ({ path: `/suppressions/export?domain_id=${id}` })),
  'POST /suppressions': namingDomain(({ id }) => ({
    path: '/suppressions',
    body: { domain_id: id, email: `${unique()}@far.example` },
  })),
  'POST /suppressions/import': namingDomain(({ id }) => ({
    path: '/suppressions/import',
    body: { domain_id: id, csv: 'email\nann@far.example' },
  })),
  'POST /suppressions/delete': namingDomain(({ id }) => ({ path: '/suppressions/delete', body: { domain_id: id } })),
  'GET /suppressions/{id}': inDomain(suppressionPath),
  'DELETE /suppressions/{id}': inDomain(suppressionPath),

  'GET /unread-bounces': namingDomain(({ id }) => ({ path: `/unread-bounces?domain_id=${id}` })),
  'GET /unread-bounces/{id}/raw': inDomain(unreadBouncePath),

  'GET /abuse/summary': plain('/abuse/summary'),
  'GET /abuse/senders': plain('/abuse/senders'),
  'GET /abuse/senders/export': plain('/abuse/senders/export'),
  'GET /abuse/alerts': plain('/abuse/alerts'),
  'GET /abuse/alerts/export': plain('/abuse/alerts/export'),
  'PATCH /abuse/alerts/{id}': {
    kind: 'shared',
    targets: {
      own: ({ domains }) => alertCall(domains.own.id),
      missing: () => ({ path: `/abuse/alerts/${MISSING_ID}`, body: { status: 'closed' } }),
    },
  },
  'POST /alert-emails/test': plain('/alert-emails/test', {}, { status: 409, code: 'CONFLICT' }),
  'GET /alert-mutes': plain('/alert-mutes'),
  'GET /alert-mutes/export': plain('/alert-mutes/export'),
  'POST /alert-mutes': {
    kind: 'shared',
    targets: {
      own: ({ domains }) => ({ path: '/alert-mutes', body: { domain_id: domains.own.id } }),
      missing: () => ({ path: '/alert-mutes', body: { domain_id: MISSING_ID } }),
    },
    missing: { status: 404, code: 'DOMAIN_NOT_FOUND' },
  },
  'DELETE /alert-mutes/{id}': {
    kind: 'shared',
    targets: {
      own: ({ domains }) => alertMutePath(domains.own.id),
      missing: () => ({ path: `/alert-mutes/${MISSING_ID}` }),
    },
  },
  'GET /abuse/thresholds': plain('/abuse/thresholds'),
  'PATCH /abuse/thresholds': plain('/abuse/thresholds', { spike_factor: 5 }),

  'GET /backups': plain('/backups'),
  'GET /backups/export': plain('/backups/export'),
  'GET /backups/plan': plain('/backups/plan'),
  'POST /backups': {
    kind: 'shared',
    targets: {
      own: async () => {
        await runBackupOperation();
        return { path: '/backups', body: {} };
      },
    },
    success: BACKUP_RUNS,
  },
  'GET /backups/operations': plain('/backups/operations'),
  'GET /backups/operations/{id}': {
    kind: 'shared',
    targets: {
      own: async () => ({ path: `/backups/operations/${(await makeBackupOperation()).id}` }),
      missing: () => ({ path: `/backups/operations/${MISSING_ID}` }),
    },
  },
  'GET /backups/{id}': backup(''),
  // Its archive is nowhere.
  'GET /backups/{id}/download': backup('/download', undefined, { status: 409, code: 'CONFLICT' }),
  'POST /backups/{id}/verify': backup('/verify', {}, BACKUP_RUNS),
  'POST /backups/{id}/prove': backup('/prove', {}, BACKUP_RUNS),
  'POST /backups/{id}/restore': backup('/restore', { dry_run: true }, BACKUP_RUNS),
  'DELETE /backups/{id}': backup('', undefined, { status: 409, code: 'CONFLICT' }),

  'GET /cluster/nodes': plain('/cluster/nodes'),
  'GET /cluster/nodes/export': plain('/cluster/nodes/export'),
  'PATCH /cluster/nodes/{id}': node((path) => ({ path, body: { state: 'active' } }), true),
  'DELETE /cluster/nodes/{id}': node((path) => ({ path }), false),

  'GET /config': plain('/config'),
  'PATCH /config': plain('/config', { values: { REPORT_RETENTION_DAYS: 400 } }),
  'GET /config/{key}/history': plain('/config/REPORT_RETENTION_DAYS/history'),

  'GET /orchestrator': plain('/orchestrator'),
  'GET /orchestrator/export': plain('/orchestrator/export'),
  'GET /orchestrator/operations': plain('/orchestrator/operations'),
  'GET /orchestrator/operations/export': plain('/orchestrator/operations/export'),
  'GET /backups/mail': plain('/backups/mail'),
  'GET /backups/mail/export': plain('/backups/mail/export'),
  'POST /backups/mail': plain('/backups/mail', {}, NO_MAIL_SERVER),
  'POST /backups/mail/check': plain('/backups/mail/check', {}, NO_MAIL_SERVER),
  'POST /backups/mail/{snapshot}/restore': {
    kind: 'shared',
    targets: {
      missing: () => ({
        path: `/backups/mail/${'0'.repeat(64)}/restore`,
        body: { mailbox: 'ann@a.example', mode: 'beside' },
      }),
    },
  },
  'POST /orchestrator/operations': plain('/orchestrator/operations', { action: 'reload' }, NO_MAIL_SERVER),
  'POST /orchestrator/relay': plain('/orchestrator/relay', { relay: null }, NO_MAIL_SERVER),
  'POST /orchestrator/relay/test': plain('/orchestrator/relay/test', {}, NO_MAIL_SERVER),
  'GET /orchestrator/operations/{id}': {
    kind: 'shared',
    targets: {
      own: async () => ({ path: `/orchestrator/operations/${(await makeOperation()).id}` }),
      missing: () => ({ path: `/orchestrator/operations/${MISSING_ID}` }),
    },
  },

  'GET /queue': plain('/queue', undefined, NO_MAIL_SERVER),
  'GET /queue/export': plain('/queue/export', undefined, NO_MAIL_SERVER),
  'GET /queue/summary': plain('/queue/summary', undefined, NO_MAIL_SERVER),
  'POST /queue/flush': plain('/queue/flush', undefined, NO_MAIL_SERVER),
  'POST /queue/{queue_id}/hold': plain('/queue/4jWsM35xXVzMFgn/hold', undefined, NO_MAIL_SERVER),
  'POST /queue/{queue_id}/release': plain('/queue/4jWsM35xXVzMFgn/release', undefined, NO_MAIL_SERVER),
  'POST /queue/{queue_id}/retry': plain('/queue/4jWsM35xXVzMFgn/retry', undefined, NO_MAIL_SERVER),
  'DELETE /queue/{queue_id}': plain('/queue/4jWsM35xXVzMFgn', undefined, NO_MAIL_SERVER),

  'GET /messages': plain('/messages'),
  'GET /messages/export': plain('/messages/export'),
  'GET /messages/retention': plain('/messages/retention'),
  'GET /messages/{id}': inDomain(messagePath),
  'GET /messages/{id}/content': { ...inDomain(contentCall('/content')), success: NO_CONTENT },
  'GET /messages/{id}/raw': { ...inDomain(contentCall('/raw')), success: NO_CONTENT },
  'GET /messages/{id}/attachments/{index}': { ...inDomain(contentCall('/attachments/0')), success: NO_CONTENT },
  'POST /messages/{id}/cancel': inDomain(scheduledCall('/cancel')),
  'PATCH /messages/{id}': inDomain(scheduledCall('', { send_at: inAnHour() })),
  'POST /messages/{id}/resend': { ...inDomain(contentCall('/resend')), success: NO_CONTENT },

  'GET /domains/{id}/dmarc': inDomain(async ({ id }) => ({ path: `/domains/${id}/dmarc` })),
  'GET /dmarc/reports': namingDomain(({ id }) => ({ path: `/dmarc/reports?domain_id=${id}` })),
  'GET /dmarc/reports/export': namingDomain(({ id }) => ({ path: `/dmarc/reports/export?domain_id=${id}` })),
  'GET /dmarc/reports/{id}': inDomain(dmarcReportCall),
  'POST /dmarc/reports': namingDomain(({ name }) => ({
    path: '/dmarc/reports',
    body: { content: btoa(dmarcXml({ domain: name })) },
  })),
  'GET /domains/{id}/tls': inDomain(async ({ id }) => ({ path: `/domains/${id}/tls` })),
  'GET /tls/reports': namingDomain(({ id }) => ({ path: `/tls/reports?domain_id=${id}` })),
  'GET /tls/reports/export': namingDomain(({ id }) => ({ path: `/tls/reports/export?domain_id=${id}` })),
  'GET /tls/reports/{id}': inDomain(tlsReportCall),
  'POST /tls/reports': namingDomain(({ name }) => ({
    path: '/tls/reports',
    body: { content: btoa(JSON.stringify(tlsReport({ domain: name }))) },
  })),

  'GET /analytics': namingDomain(({ id }) => ({ path: `/analytics?domain_id=${id}` })),
  'GET /analytics/export': namingDomain(({ id }) => ({ path: `/analytics/export?domain_id=${id}` })),

  'GET /webhooks': namingDomain(({ id }) => ({ path: `/webhooks?domain_id=${id}` })),
  'GET /webhooks/export': namingDomain(({ id }) => ({ path: `/webhooks/export?domain_id=${id}` })),
  'POST /webhooks': namingDomain(({ id }) => ({
    path: '/webhooks',
    body: { url: 'https://hooks.example.com/', events: ['*'], domain_id: id },
  })),
  'GET /webhooks/{id}': inDomain(webhookCall()),
  'PATCH /webhooks/{id}': inDomain(webhookCall('', { active: false })),
  'DELETE /webhooks/{id}': inDomain(webhookCall()),
  'POST /webhooks/{id}/rotate-secret': inDomain(webhookCall('/rotate-secret')),
  'POST /webhooks/{id}/test': inDomain(webhookCall('/test')),
  'POST /webhooks/{id}/replay': inDomain(webhookCall('/replay', { since: '2026-01-01T00:00:00Z' })),
  'GET /webhooks/{id}/deliveries': inDomain(webhookCall('/deliveries')),
  'GET /webhooks/{id}/deliveries/export': inDomain(webhookCall('/deliveries/export')),
  'GET /webhooks/{id}/deliveries/{delivery_id}': inDomain(deliveryCall()),
  'POST /webhooks/{id}/deliveries/{delivery_id}/replay': inDomain(deliveryCall('/replay')),

  'GET /events': namingDomain(({ id }) => ({ path: `/events?domain_id=${id}` })),

  'POST /send': namingDomain((domain) => ({ path: '/send', body: outgoing(domain) }), {
    success: SENDING_UNAVAILABLE,
    missing: { status: 403, code: 'DOMAIN_NOT_FOUND' },
  }),
  'POST /send/batch': namingDomain((domain) => ({ path: '/send/batch', body: { messages: [outgoing(domain)] } }), {
    success: { ...SENDING_UNAVAILABLE, status: 200 },
    missing: { status: 200, code: 'DOMAIN_NOT_FOUND' },
  }),
};
