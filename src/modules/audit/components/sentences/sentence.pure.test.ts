import { describe, expect, it } from 'vitest';
import { AUDIT_ACTIONS } from '@/lib/texts/audit-actions';
import { appRouter } from '@/modules/router';
import type { AuditEntry } from '../../schema';
import { historySentenceOf, sentenceOf, textOf } from './sentence';

const ID = '019ac000-0000-7000-8000-000000000000';

function entryOf(action: string, over: Partial<AuditEntry> = {}): AuditEntry {
  const [kind] = action.split('.');
  return {
    id: ID,
    ...{ admin_id: ID, admin_email: 'ada@here.example', api_key_id: null, api_key_name: null },
    ...{ action, resource: `${kind}:${ID}`, resource_name: null, domain_id: null, ip_address: '', user_agent: '' },
    ...{ request_id: ID, outcome: 'success', details: {}, names: {}, created_at: '', hash: null, prev_hash: null },
    ...over,
  };
}

function said(action: string, over: Partial<AuditEntry> = {}): string {
  return textOf(sentenceOf(entryOf(action, over)));
}

describe('an audit entry as a sentence', () => {
  it.each(AUDIT_ACTIONS)('exists for %s, of every outcome, with a name or without', (action) => {
    for (const outcome of ['success', 'denied', 'error'] as const) {
      for (const name of [null, 'Something']) {
        for (const details of [{}, { dry_run: true }]) {
          const text = said(action, { outcome, resource_name: name, details });
          expect(text).toMatch(/^ada@here\.example [a-z]/);
          expect(text).not.toContain(action);
          expect(text).not.toMatch(/ (of|to|for|about|from)$| {2}|undefined|null|0000/);
        }
      }
    }
  });

  it('exists for every mutation', () => {
    const actions = Object.values(appRouter._def.procedures).flatMap(
      (procedure) => (procedure as unknown as { _def: { meta?: { audit?: string } } })._def.meta?.audit ?? [],
    );
    expect(actions.length).toBeGreaterThan(50);
    for (const action of actions) expect(AUDIT_ACTIONS).toContain(action);
  });

  it('says what an update did', () => {
    const change = (before: object, after: object) => ({
      resource_name: 'info@here.example',
      details: { before, after },
    });
    expect(said('alias.update', change({ active: true }, { active: false }))).toBe(
      'ada@here.example deactivated alias info@here.example',
    );
    expect(said('alias.update', change({ active: false }, { active: true }))).toContain(' activated alias ');
    expect(said('alias.update', change({ active: true }, { active: true }))).toContain(' changed alias ');
    expect(said('alert.update', change({ status: 'open' }, { status: 'closed' }))).toContain(
      ' closed the alert about ',
    );
    expect(said('cluster_node.update', change({ state: 'active' }, { state: 'draining' }))).toContain(' drained node ');
    expect(said('config.update', { resource: 'config', details: { after: { A: 1, B: 2 } } })).toBe(
      'ada@here.example changed settings A, B',
    );
  });

  it('distinguishes a dry run from a change', () => {
    const dryRuns = [
      said('alias.import', { details: { dry_run: true } }),
      said('backup.restore', { details: { action: 'preview' } }),
      said('operation.create', { details: { after: { dry_run: true, action: 'apply_config' } } }),
    ];
    expect(dryRuns).toEqual([
      'ada@here.example did a dry run: import aliases',
      'ada@here.example did a dry run: restore a backup',
      'ada@here.example did a dry run: apply the configuration',
    ]);
    expect(said('alias.import', { details: { dry_run: false } })).toBe('ada@here.example imported aliases');
  });

  it('says what an operation did, to which backup or on which host', () => {
    const finished = (action: string, over: object = {}, outcome: AuditEntry['outcome'] = 'success') =>
      said('backup.finish', { resource_name: 'monday.age', outcome, details: { action, name: 'monday.age', ...over } });
    expect(finished('create', { size_bytes: 312 * 1024 ** 2 })).toBe(
      'ada@here.example finished backup monday.age (312 MB)',
    );
    expect(finished('create', {}, 'error')).toBe('ada@here.example couldn’t finish backup monday.age');
    expect(finished('verify')).toBe('ada@here.example verified backup monday.age');
    expect(finished('prove')).toBe('ada@here.example finished a test restore of backup monday.age');
    expect(finished('preview')).toBe('ada@here.example finished a dry run: restore backup monday.age');
    expect(finished('restore')).toBe('ada@here.example restored backup monday.age');
    expect(
      said('backup.restore', { resource_name: 'monday.age', details: { operation_id: 'x', kept_entries: 4 } }),
    ).toBe('ada@here.example restored backup monday.age (4 newer audit entries kept)');
    const restart = { action: 'restart', service: 'postfix', host: 'mx1.example', dry_run: false };
    expect(said('operation.create', { details: { after: restart } })).toBe(
      'ada@here.example asked to restart Postfix on mx1.example',
    );
    expect(said('operation.finish', { details: { ...restart, service: null } })).toBe(
      'ada@here.example restarted all services on mx1.example',
    );
    expect(said('operation.finish', { details: restart, outcome: 'error' })).toBe(
      'ada@here.example couldn’t restart Postfix on mx1.example',
    );
    const restore = {
      action: 'restore_mail',
      service: null,
      host: 'mx1.example',
      input: { mailbox: 'ann@here.example' },
    };
    expect(said('mail_backup.restore', { resource: `operation:${ID}`, details: { after: restore } })).toBe(
      'ada@here.example asked to restore mailbox ann@here.example on mx1.example',
    );
  });

  it('says how many, which key, which file, and which fields', () => {
    expect(said('message.send_batch', { resource: 'message', details: { total: 60, refused: 0 } })).toBe(
      'ada@here.example sent a batch of 60 messages',
    );
    const unconfirmed = { resource_name: 'Your order', outcome: 'error', details: { outcome: 'uncertain' } } as const;
    expect(said('message.send', unconfirmed)).toBe('ada@here.example may have sent message “Your order”');
    const partly = { resource: 'message', outcome: 'error', details: { total: 60, refused: 2 } } as const;
    expect(said('message.send_batch', partly)).toBe('ada@here.example couldn’t send 2 of a batch of 60 messages');
    expect(said('alias.import', { resource: 'alias', details: { created: 1, dry_run: false } })).toContain(
      ' imported 1 alias',
    );
    const key = { resource_name: 'here.example', details: { after: { selector: 'pr2026a' } } };
    expect(said('domain.rotate_dkim', key)).toBe('ada@here.example created DKIM key pr2026a for here.example');
    const file = { resource_name: 'Plans', details: { filename: 'plan.pdf' } };
    expect(said('message.download_attachment', file)).toBe(
      'ada@here.example downloaded attachment plan.pdf of “Plans”',
    );
    const update = (before: object, after: object, more: object = {}) =>
      said('mailbox.update', { resource_name: 'bo@here.example', details: { before, after, ...more } });
    expect(update({ quota_bytes: 1, updated_at: 'a' }, { quota_bytes: 2, updated_at: 'b' })).toBe(
      'ada@here.example changed the quota of mailbox bo@here.example',
    );
    expect(update({ active: true }, { active: true }, { password_changed: true })).toContain(
      ' changed the password of mailbox ',
    );
    expect(update({ a: 1, b: 1, c: 1 }, { a: 2, b: 2, c: 2 })).toContain(' changed 3 settings of mailbox ');
    expect(said('session.delete_all', { resource: `admin:${ID}`, resource_name: 'ada@here.example' })).toBe(
      'ada@here.example ended all their other sessions',
    );
  });

  it('names the key while it exists, and in the history of a record not the record', () => {
    expect(said('domain.create', { api_key_id: ID, api_key_name: 'CI', resource_name: 'here.example' })).toBe(
      'ada@here.example (API key “CI”) added domain here.example',
    );
    const within = (action: string, over: Partial<AuditEntry> = {}) =>
      textOf({ ...historySentenceOf(entryOf(action, { resource_name: 'info@here.example', ...over })), name: null });
    expect(within('alias.create')).toBe('ada@here.example created this alias');
    expect(within('webhook.rotate_secret')).toBe('ada@here.example rotated the secret of this webhook');
    expect(within('admin.reset_totp')).toBe('ada@here.example reset two-factor authentication of this admin');
    const quota = { details: { before: { quota_bytes: 1 }, after: { quota_bytes: 2 } } };
    expect(within('mailbox.update', quota)).toBe('ada@here.example changed the quota of this mailbox');
  });

  it('names the command line as the actor by the entry’s source, which no request can set', () => {
    const nobody = { admin_email: null, resource: 'backup', resource_name: null };
    expect(said('backup.create', { ...nobody, details: { source: 'command_line' } })).toBe(
      'Command line started a backup',
    );
    expect(said('backup.create', { ...nobody, user_agent: 'command line' })).toBe('Postroom started a backup');
    expect(said('session.create', { ...nobody, outcome: 'denied' })).toBe(
      'Somebody who isn’t signed in tried to sign in',
    );
    expect(said('domain.create', { api_key_id: ID, resource_name: 'here.example' })).toBe(
      'ada@here.example (API key) added domain here.example',
    );
  });

  it('names recipients of queued messages, and the actor’s own account', () => {
    const queued = {
      resource: 'queue:4jWsM35xXVzMFgn',
      details: { before: { recipients: ['bo@far.example', 'cy@far.example'] } },
    };
    expect(said('queue.delete', queued)).toBe(
      'ada@here.example deleted the message to bo@far.example +1 from the queue',
    );
    expect(said('queue.flush', { resource: 'queue' })).toBe('ada@here.example retried all queued messages');
    expect(said('queue.retry', { resource: 'queue:x', outcome: 'denied' })).toBe(
      'ada@here.example tried to retry a message in the queue',
    );
    expect(said('admin.enable_totp', { resource_name: 'ada@here.example' })).toBe(
      'ada@here.example enabled two-factor authentication of their own account',
    );
    expect(said('session.create', { resource: 'session', outcome: 'denied', details: { further_attempts: 12 } })).toBe(
      'ada@here.example tried to sign in and 12 more times',
    );
  });
});
