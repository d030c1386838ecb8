import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { dmarcXml } from '@/test/reports/dmarc-report';
import { mailWith } from '@/test/reports/report-mail';
import { day } from '@/test/reports/upload';
import { type ArrivedReports, readArrivedReports, storeReportMail } from './service';

const HOSTS = Array.from({ length: 200 }, (_, n) => ({ ip: `10.0.0.${n}` }));

const fileAbout = (domain: string, fields: { organisation?: string; reportId?: string } = {}) => ({
  type: 'text/xml',
  content: dmarcXml({ domain, day: day(1), rows: HOSTS, ...fields }),
});

const receive = (to: string, ...files: Parameters<typeof mailWith>) =>
  storeReportMail(db, { raw: Buffer.from(mailWith(...files)), addresses: [`dmarc-reports@${to}`] }, new Date());

it('reports about the same domains that are stored at once, in another order, are all stored', async () => {
  const [one, other] = [await makeDomain(), await makeDomain()];
  const recipients = [{ domainId: one.id, kind: 'dmarc' as const }];
  for (let round = 0; round < 4; round += 1) {
    const mails: ArrivedReports[] = [];
    for (const order of [
      [one, other, one, other],
      [other, one, other, one],
    ]) {
      const raw = Buffer.from(mailWith(...order.map(({ name }) => fileAbout(name))));
      for (const _ of [1, 2]) mails.push(await readArrivedReports({ read: async () => raw }, recipients));
    }
    await Promise.all(mails.map(({ store }) => db.$transaction((tx) => store(tx, new Date()))));
  }
  const where = { domainId: { in: [one.id, other.id] } };
  expect(await db.dmarcReport.count({ where })).toBe(32);
  expect(await db.droppedReport.findMany({ where, select: { reason: true } })).toEqual([
    { reason: 'duplicate' },
    { reason: 'duplicate' },
  ]);
});

it('mail whose storing deadlocks fails, so that it is delivered again', async () => {
  const { id, name } = await makeDomain();
  await db.$executeRawUnsafe(`
    CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.report_id = 'deadlock' THEN RAISE EXCEPTION USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$;
    `);
  await db.$executeRawUnsafe(
    'CREATE TRIGGER deadlock BEFORE INSERT ON dmarc_report FOR EACH ROW EXECUTE FUNCTION deadlock()',
  );
  await expect(receive(name, fileAbout(name, { reportId: 'deadlock' }))).rejects.toThrow();
  expect(await db.droppedReport.count({ where: { domainId: id } })).toBe(0);
});

it('a report that can’t be stored is counted, and the others in its mail are stored', async () => {
  const { id, name } = await makeDomain();
  await db.$executeRawUnsafe(`ALTER TABLE dmarc_report ADD CONSTRAINT no_poison CHECK (report_id <> 'poison')`);
  await receive(name, fileAbout(name), fileAbout(name, { reportId: 'poison' }), fileAbout(name));
  expect(await db.dmarcReport.count({ where: { domainId: id } })).toBe(2);
  expect(await db.droppedReport.findMany({ where: { domainId: id } })).toMatchObject([{ reason: 'error', count: 1 }]);
});

it('mail to an inactive domain is not read', async () => {
  const { id, name } = await makeDomain();
  await db.domain.update({ where: { id }, data: { active: false } });
  await receive(name, fileAbout(name));
  expect(await db.dmarcReport.count({ where: { domainId: id } })).toBe(0);
  await db.domain.update({ where: { id }, data: { active: true } });
  await receive(name, fileAbout(name));
  expect(await db.dmarcReport.count({ where: { domainId: id } })).toBe(1);
});
