import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test, unique, url } from '../support/fixtures';
import { WIDTHS } from '../support/layout-shifts';

test('shows what is wrong first, with what to do, then every check and its last day, the scheduled tasks and open alerts', async ({
  signedIn: page,
  sql,
  check,
  checkState,
}) => {
  const host = `${unique('mx')}.example`;
  await sql(
    `INSERT INTO health_check (name, subject, status, value, message, since, checked_at)
     VALUES ('disk', $1, 'down', 4.5, '', now() - interval '3 hours', now() + interval '1 hour')`,
    [host],
  );
  await sql(`INSERT INTO health_sample (name, subject, at, status, value)
     SELECT 'disk', '${host}', now() - hours * interval '1 hour', CASE WHEN hours > 3 THEN 'degraded' ELSE 'down' END::health_status,
            hours * 2 FROM generate_series(1, 12) AS hours`);
  const task = unique('rotating ');
  await sql(
    `INSERT INTO scheduled_task (name, due_at, started_at, finished_at, duration_ms, failure, failing_since)
     VALUES ($1, now() + interval '190 minutes', now() - interval '2 hours', now() - interval '2 hours', 4000, 'The disk is full.', now())`,
    [task],
  );
  await sql(
    `INSERT INTO alert (id, kind, severity, subject, count, expected, created_at, updated_at)
     VALUES ($1, 'content_store', 'critical', $2, 1, 0, now(), now())`,
    [randomUUID(), unique('store')],
  );
  await page.goto(`${url()}/system/health`);
  const problem = page.getByRole('region', { name: 'Problems' }).getByRole('listitem').filter({ hasText: host });
  await expect(problem).toContainText('Down');
  await expect(problem).toContainText('4.5%');
  await expect(problem).toContainText('started 3 h ago');
  await expect(problem).toContainText('enlarge the disk');
  await expect(problem).toContainText(/points less than \d+ h ago/);
  await expect(problem.getByRole('link', { name: 'Configuration' })).toHaveAttribute(
    'href',
    '/system/config?q=retention',
  );
  const row = page.getByRole('table', { name: 'Machines checks' }).getByRole('row', { name: host });
  await expect(row).toContainText('Degraded below 30%, down below 15%');
  await expect(
    page.getByRole('table', { name: 'Database checks' }).getByRole('row', { name: 'Postgres' }),
  ).toContainText('OK');
  await check();
  await row.getByRole('button', { name: 'Last day' }).click();
  const dialog = page.getByRole('dialog', { name: host });
  await expect(dialog).toContainText('Between 2% and 24%');
  await expect(dialog.getByRole('listitem')).toHaveText([/Down/, /Degraded/]);
  await checkState();
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await sql(`DELETE FROM health_check WHERE subject = $1`, [host]);

  const tasks = page.getByRole('table', { name: 'Scheduled tasks' });
  const failed = tasks.getByRole('row', { name: `R${task.slice(1)}` });
  await expect(failed).toContainText('Failed');
  await expect(failed).toContainText('2 h ago');
  await expect(failed).toContainText('4 s');
  await expect(failed).toContainText('in 3 h');
  await expect(tasks).toContainText('The disk is full.');
  await expect(tasks.getByRole('row', { name: 'Checking the whole system' })).toContainText('OK');
  await sql('DELETE FROM scheduled_task WHERE name = $1', [task]);

  await test.step('checks everything at once', async () => {
    const database = page.getByRole('table', { name: 'Database checks' }).getByRole('row', { name: 'Postgres' });
    await whileNotChecked(async () => {
      await sql(`UPDATE health_check SET status = 'down', message = 'Old', checked_at = now() WHERE name = 'database'`);
      await page.reload();
      await expect(database).toContainText('Down');
    });
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(database).toContainText('OK');
  });

  await page.getByRole('link', { name: /open alerts?$/ }).click();
  await expect(page).toHaveURL(/\/alerts$/);
});

test('lists nodes, drains one, and removes one that is dead', async ({ signedIn: page, sql, check }) => {
  const [alive, dead] = [`${unique('a')}.example`, `${unique('d')}.example`];
  await sql(
    `INSERT INTO cluster_node (id, host, process_id, version, roles, load_average, cpus, memory_bytes, started_at, beat_at)
     VALUES ($1, $2, 7, '0.1.0', '{web,worker}', 0.4, 8, 2e8, now(), now() + interval '10 minutes'),
            ($3, $4, 8, '0.1.0', '{web,worker}', 0.4, NULL, 2e8, now(), now() - interval '1 minute')`,
    [randomUUID(), alive, randomUUID(), dead],
  );
  await page.goto(`${url()}/system/nodes`);
  const table = page.getByRole('table', { name: 'Nodes' });
  const own = table.getByRole('row', { name: alive });
  await expect(own).toContainText('Active');
  await expect(own).toContainText('0.40, 8 CPUs');
  await page.setViewportSize(WIDTHS[1]);
  await expect(own.getByText(/^Load 0\.40, 8 CPUs, memory /)).toBeVisible();
  await page.setViewportSize(WIDTHS[0]);
  await expect(table.getByRole('row', { name: dead })).toContainText('No heartbeat');
  await check();
  await own.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Drain…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
  await expect(own).toContainText('Draining');
  await own.getByRole('button', { name: 'Resume' }).click();
  await expect(own).toContainText('Active');
  await table.getByRole('row', { name: dead }).getByRole('button', { name: 'Remove' }).click();
  await expect(table.getByRole('row', { name: dead })).toHaveCount(0);
  await sql('DELETE FROM cluster_node WHERE host = $1', [alive]);
});

/** Runs `work` while no check of the whole system runs or begins. */
async function whileNotChecked(work: () => Promise<void>): Promise<void> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  await client.query('BEGIN');
  const locked = () =>
    client.query(
      `SELECT FROM scheduled_task WHERE name = 'checking the whole system' AND lease_token IS NULL FOR UPDATE`,
    );
  await expect.poll(async () => (await locked()).rowCount).toBe(1);
  await work().finally(() => client.end());
}
