import { beforeEach, describe, expect, it } from 'vitest';
import { isPassword } from '@/server/secrets/password';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

const api = await keyClient({ role: 'admin' });
let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const importCsv = (csv: string, over: object = {}) =>
  api.post('/mailboxes/import', { domain_id: domain.id, csv, ...over });
const find = (localPart: string) => db.mailbox.findFirstOrThrow({ where: { domainId: domain.id, localPart } });
const count = () => db.mailbox.count({ where: { domainId: domain.id } });

describe('importing mailboxes', () => {
  it('checks each line against the mailboxes and the lines before it, and says what is wrong', async () => {
    await makeMailbox(domain.id, 'same');
    await makeMailbox(domain.id, 'there');
    const csv = [
      'local_part,display_name,password,quota_mb,active',
      `Ann@${domain.name},Ann Field,paper boats on the canal,2048,true`,
      'bo,,,,nein',
      'ann,Another,,,',
      'same,,,,',
      'there,Other name,,,',
      'two words,,,,',
      ',No address,,,',
      'short,,abc,,',
      'common,,passwordpassword,,',
      'odd,,,-2,',
      'flag,,,,maybe',
      'huge,,,999999999999999,',
      'hash,,{SSHA512}Zm9yIHRoZSB0ZXN0cyBvZiBpbXBvcnRz,,',
    ].join('\r\n');
    const dry = await importCsv(csv, { dry_run: true });
    expect(await count()).toBe(2);
    const { data } = await importCsv(csv);
    expect(data).toMatchObject({ dry_run: false, total: 13, created: 2, unchanged: 1, failed: 10 });
    const withoutPasswords = data.lines.map((line: object) => ({ ...line, password: null }));
    expect(dry.data).toEqual({ ...data, dry_run: true, lines: withoutPasswords });
    expect(data.lines.map(({ line, outcome, code }: Record<string, unknown>) => [line, outcome, code])).toEqual([
      [2, 'created', null],
      [3, 'created', null],
      [4, 'failed', 'CONFLICT'],
      [5, 'unchanged', null],
      [6, 'failed', 'CONFLICT'],
      [7, 'failed', 'VALIDATION_ERROR'],
      [8, 'failed', 'MISSING_FIELDS'],
      [9, 'failed', 'VALIDATION_ERROR'],
      [10, 'failed', 'VALIDATION_ERROR'],
      [11, 'failed', 'VALIDATION_ERROR'],
      [12, 'failed', 'VALIDATION_ERROR'],
      [13, 'failed', 'VALIDATION_ERROR'],
      [14, 'failed', 'VALIDATION_ERROR'],
    ]);
    expect(data.lines[12].message).toMatch(/hash of a password/);
    expect(data.lines[2].message).toBe('Duplicate of line 2, which has the same address. Remove one of the lines.');
    expect(data.lines[9].message).toBe(
      '“quota_mb”: Enter a whole number of MB, unlimited, or nothing for the domain’s default.',
    );
    expect(data.lines[11].message).toBe('“quota_mb”: Enter at most 8,589,934,591 MB.');
    expect(data.lines[4].message).toContain(`there@${domain.name} already exists with other settings`);
    const ann = await find('ann');
    expect(ann).toMatchObject({ displayName: 'Ann Field', quotaBytes: 2_147_483_648n, active: true });
    expect(await isPassword('paper boats on the canal', ann.passwordHash)).toBe(true);
    expect(await find('bo')).toMatchObject({ quotaBytes: null, active: false });
  });

  it('generates passwords that sign in, returns them once, and records none', async () => {
    const { data } = await importCsv('local_part\nann\nbo');
    const [ann, bo] = data.lines;
    expect(ann.password).not.toBe(bo.password);
    expect(await isPassword(ann.password, (await find('ann')).passwordHash)).toBe(true);
    const again = await importCsv('local_part\nann\nbo');
    expect(again.data).toMatchObject({ created: 0, unchanged: 2 });
    expect(again.data.lines.map(({ password }: { password: unknown }) => password)).toEqual([null, null]);
    const entries = await db.auditEntry.findMany({ where: { domainId: domain.id, action: 'mailbox.import' } });
    expect(entries.map(({ details }) => details)).toMatchObject([
      { created: 2, created_local_parts: ['ann', 'bo'] },
      { created: 0 },
    ]);
    expect(JSON.stringify(entries)).not.toContain(ann.password);
  });

  it('uses the domain’s default quota, and creates none beyond the domain’s limit', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { maxMailboxes: 2, defaultQuotaBytes: 1_000_000n } });
    await makeMailbox(domain.id, 'first');
    expectError(await importCsv('local_part\nann\nbo'), 409, 'CONFLICT');
    expect(await count()).toBe(1);
    expect((await importCsv('local_part\nann')).data).toMatchObject({ created: 1 });
    expect(await find('ann')).toMatchObject({ quotaBytes: 1_000_000n });
  });

  it('reads the export, and leaves out what an import can’t set', async () => {
    await makeMailbox(domain.id, 'ann');
    await db.mailbox.updateMany({
      where: { domainId: domain.id },
      data: { displayName: "'=Ann, Ü", quotaBytes: 5000n },
    });
    const exported = await (await api.download(`/mailboxes/export?domain_id=${domain.id}`)).text();
    expect((await importCsv(exported)).data).toMatchObject({ total: 1, unchanged: 1 });
    await db.mailbox.deleteMany({ where: { domainId: domain.id } });
    expect((await importCsv(`\ufeff${exported}`)).data).toMatchObject({ created: 1 });
    expect(await find('ann')).toMatchObject({ displayName: "'=Ann, Ü", quotaBytes: 5000n });
    const decimal = await importCsv('local_part,quota_mb\ncy,1024.0\ndee,1.5');
    expect(decimal.data).toMatchObject({ created: 1, failed: 1 });
    expect(await find('cy')).toMatchObject({ quotaBytes: 1024n * 1024n * 1024n });
    const both = await importCsv('local_part,quota_mb,quota_bytes\nbo,1,1048576');
    expect(both.data.lines).toMatchObject([{ outcome: 'failed', message: expect.stringContaining('not both') }]);
  });

  it('tells no limit from the domain’s default, and refuses the 0 that other mail servers mean it by', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { defaultQuotaBytes: 1_000_000n } });
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'bo');
    await db.mailbox.updateMany({ where: { domainId: domain.id, localPart: 'bo' }, data: { quotaBytes: 5000n } });
    const exported = await (await api.download(`/mailboxes/export?domain_id=${domain.id}`)).text();
    await db.mailbox.deleteMany({ where: { domainId: domain.id } });
    expect((await importCsv(exported)).data).toMatchObject({ created: 2 });
    expect((await importCsv(exported)).data).toMatchObject({ unchanged: 2 });
    expect(await find('ann')).toMatchObject({ quotaBytes: null });
    expect(await find('bo')).toMatchObject({ quotaBytes: 5000n });
    for (const [localPart, column, cell] of [
      ['cy', 'quota_mb', 'Unlimited'],
      ['dee', 'quota_mb', '-1'],
      ['ed', 'quota_bytes', 'none'],
    ] as const) {
      expect((await importCsv(`local_part,${column}\n${localPart},${cell}`)).data).toMatchObject({ created: 1 });
      expect(await find(localPart)).toMatchObject({ quotaBytes: null });
    }
    for (const column of ['quota_mb', 'quota_bytes']) {
      const { data } = await importCsv(`local_part,${column}\nfay,0\ngil,0.0`);
      const message = expect.stringContaining(`“${column}”: A mailbox with a quota of 0 receives no mail.`);
      expect(data.lines).toMatchObject([{ message }, { message }]);
    }
  });

  it('takes no rounded number and no error of a formula for an address or a name', async () => {
    const { data } = await importCsv('local_part,display_name\n4.91701E+11,Ann\n#N/A,Bo\ncy,#REF!\n491701234567,Dee');
    expect(data.lines.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'failed',
      'failed',
      'failed',
      'created',
    ]);
  });

  it('keeps the apostrophe that a password begins with, also in the file of failed lines', async () => {
    const password = "'=paper boats on the canal";
    const { data } = await importCsv(`local_part,password\nann,${password}\n,${password}`);
    expect(await isPassword(password, (await find('ann')).passwordHash)).toBe(true);
    const corrected = await importCsv(data.failed_csv.replace('\r\n,', '\r\nbo,'));
    expect(corrected.data).toMatchObject({ created: 1, failed: 0 });
    expect(await isPassword(password, (await find('bo')).passwordHash)).toBe(true);
  });

  it('creates each mailbox once when two imports run at once', async () => {
    const csv = 'local_part\nann\nbo\ncy';
    const reports = await Promise.all([importCsv(csv), importCsv(csv)]);
    expect(reports.reduce((sum, { data }) => sum + data.created, 0)).toBe(3);
    expect(await count()).toBe(3);
    for (const { data } of reports) {
      for (const { local_part, password } of data.lines) {
        if (password !== null) expect(await isPassword(password, (await find(local_part)).passwordHash)).toBe(true);
      }
    }
  });

  it('rejects another column, a file without the address, and more lines than it takes', async () => {
    for (const csv of [
      'local_part,email\nann,x',
      'local_part,colour\nann,red',
      'display_name\nAnn',
      `local_part\n${'a\n'.repeat(501)}`,
    ]) {
      expectError(await importCsv(csv), 400, 'VALIDATION_ERROR');
    }
  });
});
