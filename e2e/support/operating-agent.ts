import { randomUUID } from 'node:crypto';
import { expect, type Sql, unique } from './fixtures';

type Service = { service: string; state?: string; message?: string; drift?: object[]; custom?: string[] };

const SERVICES: Service[] = [
  { service: 'postfix', drift: [{ path: 'postfix/main.cf', kind: 'changed' }] },
  { service: 'dovecot', custom: ['dovecot'] },
  { service: 'rspamd' },
  { service: 'redis' },
  { service: 'agent' },
];

/** A stand-in for a mail host whose agent reports services and leaves operations to the spec. */
export async function attachMailHost(sql: Sql, changes: Service[] = []) {
  const host = `${unique('mx')}.example`;
  await sql(
    `INSERT INTO mail_agent (host, instance, version, started_at, beat_at)
     VALUES ($1, $2, '0.1.0', now(), now() + interval '1 hour')`,
    [host, randomUUID()],
  );
  for (const { service } of SERVICES) await report({ service });
  for (const change of changes) await report(change);

  async function report({ service, state = 'running', message = '', drift }: Service): Promise<void> {
    const first = SERVICES.find((each) => each.service === service);
    const files = drift ?? first?.drift ?? [];
    await sql(
      `INSERT INTO mail_service (host, service, state, since, message, version, process_id, started_at, drift,
                                 drift_message, custom, checked_at)
       VALUES ($1, $2, $3, now() - interval '3 hours', $4, '3.7.11', 7, now() - interval '9 days', $5, '', $6, now())
       ON CONFLICT (host, service) DO UPDATE
         SET state = excluded.state, message = excluded.message, drift = excluded.drift`,
      [host, service, state, message, JSON.stringify(files), first?.custom ?? []],
    );
  }

  /** Starts the operation that waits for this host. @returns its id */
  async function claim(): Promise<string> {
    let id: string | undefined;
    await expect
      .poll(async () => {
        const [row] = await sql<{ id: string }>(
          `UPDATE operation SET state = 'running', started_at = now(), leased_until = now() + interval '10 minutes'
            WHERE host = $1 AND state = 'queued' RETURNING id`,
          [host],
        );
        id = row?.id;
        return id;
      })
      .toBeDefined();
    return id as string;
  }

  async function say(id: string, kind: string, text: string): Promise<void> {
    await sql(
      `INSERT INTO operation_line (operation_id, number, kind, text, at)
       SELECT $1, coalesce(max(number), 0) + 1, $2, $3, now() FROM operation_line WHERE operation_id = $1`,
      [id, kind, text],
    );
  }

  async function finish(id: string, state: string, message: string): Promise<void> {
    await sql('UPDATE operation SET state = $2::operation_state, message = $3, finished_at = now() WHERE id = $1', [
      id,
      state,
      message,
    ]);
  }

  /** Ends the heartbeats, and forgets its operations. */
  async function detach(): Promise<void> {
    await sql('DELETE FROM mail_agent WHERE host = $1', [host]);
    await sql('DELETE FROM mail_service WHERE host = $1', [host]);
    await sql('DELETE FROM operation WHERE host = $1', [host]);
  }

  return { host, report, claim, say, finish, detach };
}
