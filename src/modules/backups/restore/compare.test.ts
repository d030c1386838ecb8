import { expect, it } from 'vitest';
import { backUp, connect, makeDatabase, sourceOf } from '@/test/backups';
import { makeDomain } from '@/test/factories';
import { previewRestore, restore } from './restore';

const ROWS = 20_000;
const source = await connect(String(process.env.DATABASE_URL));
const other = await makeDatabase();

it('differences are counted wherever they are among many rows', async () => {
  const { id } = await makeDomain();
  // The text of some is longer than what is read at once.
  await source.query(
    `INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at)
     SELECT gen_random_uuid(), $1, 'n' || n, 'ann@b.example' || CASE WHEN n % 5000 = 0 THEN repeat(', bob@b.example', 10000) ELSE '' END, now()
       FROM generate_series(1, $2::int) AS n`,
    [id, ROWS],
  );
  const archive = sourceOf(await backUp(source));
  await restore(other.client, archive);
  const count = async () => {
    const [difference] = (await previewRestore(other.client, archive)).filter(({ table }) => table === 'alias');
    const { added, changed, removed } = difference as NonNullable<typeof difference>;
    return { added, changed, removed };
  };
  expect(await count()).toEqual({ added: 0, changed: 0, removed: 0 });
  const changed = await other.client.query(
    "UPDATE alias SET active = false WHERE right(source_local_part, 2) IN ('11', '12', '50')",
  );
  const deleted = await other.client.query(
    "DELETE FROM alias WHERE right(source_local_part, 3) IN ('000', '001', '777')",
  );
  const added = await other.client.query(
    `INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at)
     SELECT gen_random_uuid(), $1, 'more' || n, 'ann@b.example', now() FROM generate_series(1, 300) AS n`,
    [id],
  );
  expect(await count()).toEqual({ added: deleted.rowCount, changed: changed.rowCount, removed: added.rowCount });
  await other.client.query('DELETE FROM alias');
  expect(await count()).toEqual({ added: ROWS, changed: 0, removed: 0 });
});
