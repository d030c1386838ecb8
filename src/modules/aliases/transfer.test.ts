import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

let api: Awaited<ReturnType<typeof keyClient>>;
let domain: { id: string; name: string };

beforeEach(async () => {
  api = await keyClient({ role: 'admin' });
  domain = await makeDomain();
});

const importCsv = (csv: string, over: object = {}) =>
  api.post('/aliases/import', { domain_id: domain.id, csv, ...over });
const count = () => db.alias.count({ where: { domainId: domain.id } });

describe('importing aliases', () => {
  it('checks each line against the database and the lines before it', async () => {
    await makeAlias(domain.id, 'there', 'x@far.example');
    await makeAlias(domain.id, 'same', 'x@far.example');
    await makeAlias(domain.id, 'leads', `target@${domain.name}`);
    const csv = [
      'source_local_part,destination,active',
      `info@${domain.name},ann@far.example,`,
      'sales,"a@far.example, b@far.example",false',
      'there,y@far.example,',
      'same,X@far.example,true',
      'info,z@far.example,',
      `chain,info@${domain.name},`,
      'target,z@far.example,',
      'bad,|/bin/sh,',
      'empty,,',
      'odd,x@far.example,maybe',
      '',
      ',catch@far.example,',
    ].join('\r\n');
    const dry = await importCsv(csv, { dry_run: true });
    expect(await count()).toBe(3);
    const { data } = await importCsv(csv);
    expect({ ...data, dry_run: true }).toEqual(dry.data);
    expect(data).toMatchObject({ dry_run: false, total: 11, created: 3, unchanged: 1, failed: 7 });
    expect(data.lines.map(({ line, outcome, code }: Record<string, unknown>) => [line, outcome, code])).toEqual([
      [2, 'created', null],
      [3, 'created', null],
      [4, 'failed', 'CONFLICT'],
      [5, 'unchanged', null],
      [6, 'failed', 'CONFLICT'],
      [7, 'failed', 'ALIAS_CHAIN'],
      [8, 'failed', 'ALIAS_CHAIN'],
      [9, 'failed', 'VALIDATION_ERROR'],
      [10, 'failed', 'MISSING_FIELDS'],
      [11, 'failed', 'VALIDATION_ERROR'],
      [13, 'created', null],
    ]);
    const sales = await db.alias.findFirst({ where: { domainId: domain.id, sourceLocalPart: 'sales' } });
    expect(sales).toMatchObject({ destination: 'a@far.example,b@far.example', active: false });
    const entries = await db.auditEntry.findMany({ where: { domainId: domain.id, action: 'alias.import' } });
    expect(entries).toHaveLength(2);
    expect(entries[1]?.details).toMatchObject({ created: 3, created_sources: ['info', 'sales', ''] });
  });

  it('reports duplicates inside the file, also of an alias that exists and in other steps', async () => {
    await makeAlias(domain.id, 'same', 'x@far.example');
    const others = Array.from({ length: 600 }, (_, i) => `a${i},x@far.example`);
    const twice = ['same,x@far.example', 'info,x@far.example', 'Info,x@far.example'];
    const lines = ['source_local_part,destination', ...twice, ...others, 'same,x@far.example', 'a0,y@far.example'];
    const dry = await importCsv(lines.join('\n'), { dry_run: true });
    const { data } = await importCsv(lines.join('\n'));
    expect({ ...data, dry_run: true }).toEqual(dry.data);
    expect(data).toMatchObject({ created: 601, unchanged: 1, failed: 3 });
    const failed = data.lines.filter(({ outcome }: { outcome: string }) => outcome === 'failed');
    const duplicateOf = (line: number) =>
      `Duplicate of line ${line}, which has the same address. Remove one of the lines.`;
    expect(failed).toMatchObject([
      { line: 4, code: 'CONFLICT', message: duplicateOf(3) },
      { line: 605, code: 'CONFLICT', message: duplicateOf(2) },
      { line: 606, code: 'CONFLICT', message: duplicateOf(5) },
    ]);
  });

  it('rejects a wildcard, also with the domain, and names the catch-all', async () => {
    const { data } = await importCsv(`source_local_part,destination\n*,x@far.example\n*@${domain.name},x@far.example`);
    expect(data).toMatchObject({ created: 0, failed: 2 });
    for (const { code, message } of data.lines) {
      expect({ code, message }).toEqual({ code: 'VALIDATION_ERROR', message: expect.stringContaining('catch-all') });
    }
    const { data: empty } = await importCsv(`source_local_part,destination\n@${domain.name},x@far.example`);
    expect(empty.lines).toMatchObject([{ source_local_part: '', outcome: 'created' }]);
  });

  it('takes no empty address for a catch-all, also in the file of failed lines', async () => {
    const { data } = await importCsv(`address,destination\n,ann@far.example\nsales@${domain.name},ann@far.example`);
    expect(data.lines).toMatchObject([
      { outcome: 'failed', code: 'MISSING_FIELDS', message: expect.stringMatching(/^“address”: /) },
      { outcome: 'created' },
    ]);
    expect((await importCsv(data.failed_csv)).data).toMatchObject({ created: 0, failed: 1 });
    const { data: catchAll } = await importCsv(`address,destination\n@${domain.name},ann@far.example`);
    expect(catchAll.lines).toMatchObject([{ source_local_part: '', outcome: 'created' }]);
  });

  it('takes no rounded number and no error of a formula for an address', async () => {
    const rows = [
      '4.91701E+11,ann@far.example',
      `5e+21@${domain.name},ann@far.example`,
      '#N/A,ann@far.example',
      'a,#WERT!',
    ];
    const { data } = await importCsv(['source_local_part,destination', ...rows, '4e,ann@far.example'].join('\n'));
    const rounded = {
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^A spreadsheet has rounded this number/),
    };
    expect(data.lines).toMatchObject([
      rounded,
      rounded,
      { message: expect.stringMatching(/^“source_local_part”: #N\/A is an error of a formula/) },
      { message: expect.stringMatching(/^“destination”: #WERT! is an error of a formula/) },
      { outcome: 'created' },
    ]);
  });

  it('reads TRUE and FALSE, also in other languages', async () => {
    const { data } = await importCsv(
      '\ufeffactive,source_local_part,destination\nTRUE,a,x@far.example\nFalse,b,x@far.example\nFALSCH,c,x@far.example\nLÜGE,d,x@far.example',
    );
    expect(data).toMatchObject({ created: 3, failed: 1 });
    expect(await db.alias.findMany({ where: { domainId: domain.id, active: true } })).toMatchObject([
      { sourceLocalPart: 'a' },
    ]);
  });

  it('reads true and false as databases write them', async () => {
    const cells = ['1', 't', 'Y', 'on', '0', 'F', 'n', 'off', '2'];
    const rows = cells.map((cell, index) => `alias${index},x@far.example,${cell}\n`);
    const { data } = await importCsv(`source_local_part,destination,active\n${rows.join('')}`);
    expect(data).toMatchObject({ created: 8, failed: 1 });
    expect(await db.alias.count({ where: { domainId: domain.id, active: true } })).toBe(4);
  });

  it('drops no cell of a row: one that belongs to no column fails the row, with its number', async () => {
    const { data } = await importCsv(
      'source_local_part,destination\nsales,a@far.example,b@far.example\ninfo,a@far.example,',
    );
    expect(data.lines).toMatchObject([
      { line: 2, outcome: 'failed', code: 'VALIDATION_ERROR', message: expect.stringContaining('has 3 cells') },
      { line: 3, outcome: 'created' },
    ]);
  });

  it('returns the failed lines as CSV that can be corrected and imported again', async () => {
    const csv = [
      'Address;active;error;destination',
      `info@${domain.name};WAHR;;"ann@far.example"`,
      'bad;falsch;an error from before;|/bin/sh',
      'more;;;a@far.example;b@far.example',
      'sales@shop.example;;;a@far.example',
    ].join('\r\n');
    const { data } = await importCsv(csv);
    expect(data).toMatchObject({ created: 1, failed: 3 });
    const lines = data.failed_csv.split('\r\n');
    expect(lines).toEqual([
      'address,active,destination,,error',
      expect.stringMatching(/^bad,falsch,\|\/bin\/sh,,“destination”: /),
      expect.stringMatching(/^more,,a@far\.example,b@far\.example,"This row has 5 cells/),
      `sales@shop.example,,a@far.example,,sales@shop.example isn’t an address of ${domain.name}. Import it into its own domain.`,
      '',
    ]);
    const again = await importCsv(data.failed_csv);
    expect(again.data).toMatchObject({ created: 0, failed: 3, failed_csv: data.failed_csv });
    const corrected = lines[1].replace('|/bin/sh', 'bo@far.example');
    const last = await importCsv([lines[0], corrected].join('\n'));
    expect(last.data).toMatchObject({ created: 1, failed: 0, failed_csv: null });
  });

  it.each([
    [
      'a column twice',
      'source_local_part,destination,Destination\na,b@far.example,c@far.example',
      'column “destination” is in',
    ],
    [
      'a row that is too long',
      `source_local_part,destination\na,"${'b@far.example,'.repeat(3_000)}"`,
      'Line 2 has more than',
    ],
    [
      'a cell of too many lines',
      `source_local_part,destination\na,"${'b@far.example,\n'.repeat(3_000)}"`,
      'has more than',
    ],
    ['an unclosed quote', 'source_local_part,destination\na,"b@far.example', 'A quotation mark isn’t closed'],
    ['a quote inside a cell', 'source_local_part,destination\na,"b"@far.example', 'Line 2 isn’t valid CSV'],
    ['an unknown column', 'source_local_part,destination,color\na,b@far.example,red', 'no column called “color”'],
    ['a header without destination', 'source_local_part\na', 'The column “destination” is missing'],
    ['no header', 'a,b@far.example', 'no column called “a”'],
  ])('rejects %s as a whole, naming the field', async (_, csv, message) => {
    const answer = expectError(await importCsv(csv), 400, 'VALIDATION_ERROR');
    expect(answer.error.details.fields).toEqual([{ path: 'csv', message: expect.stringContaining(message) }]);
  });

  it('creates none if the domain’s limit would be exceeded', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { maxAliases: 1 } });
    expectError(await importCsv('source_local_part,destination\na,x@far.example\nb,x@far.example'), 409, 'CONFLICT');
    expect(await count()).toBe(0);
  });
});

it('an import runs in steps of 500 lines, each with its audit entry, and reports the lines together', async () => {
  const lines = Array.from({ length: 1100 }, (_, i) => `a${i},${i === 1000 ? `a1@${domain.name}` : 'x@far.example'}`);
  const csv = ['source_local_part,destination', ...lines].join('\n');
  const dry = await importCsv(csv, { dry_run: true });
  const { data } = await importCsv(csv);
  expect({ ...data, dry_run: true }).toEqual(dry.data);
  expect(data).toMatchObject({ total: 1100, created: 1099, failed: 1 });
  expect(data.lines[1000]).toMatchObject({ line: 1002, outcome: 'failed', code: 'ALIAS_CHAIN' });
  const entries = await db.auditEntry.findMany({ where: { domainId: domain.id }, orderBy: { id: 'asc' } });
  const totals = entries.map(({ details }) => (details as { total: number }).total);
  expect(totals).toEqual([1100, 500, 500, 100]);
});

it('leaves database connections to other requests while imports are queued', async () => {
  // Two steps each.
  const LINES = 501;
  const lines = Array.from({ length: LINES }, (_, i) => `a${i},x@far.example`);
  const csv = ['source_local_part,destination', ...lines].join('\n');
  const getTwenty = () => Promise.all(Array.from({ length: 20 }, () => api.get(`/domains/${domain.id}`)));
  // Opens every pooled connection first, which is slow on a busy machine.
  await getTwenty();
  const imports = Promise.all(Array.from({ length: 20 }, () => importCsv(csv)));
  const answers = await getTwenty();
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const reports = (await imports).map(({ data, error }) => data ?? error);
  for (const { created, unchanged } of reports) expect(created + unchanged).toBe(LINES);
  expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(LINES);
  expect(await count()).toBe(LINES);
});

describe('exporting aliases', () => {
  it('returns a file that can be imported again, with no cell that a spreadsheet evaluates', async () => {
    await makeAlias(domain.id, '', 'catch@far.example');
    await makeAlias(domain.id, '=cmd', '+a@far.example,b@far.example', { active: false });
    await makeAlias(domain.id, '-x', 'c@far.example');
    await makeAlias(domain.id, "'-y", 'c@far.example');
    const response = await api.download(`/aliases/export?domain_id=${domain.id}`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="aliases-${domain.name}.csv"`);
    expect(response.headers.get('x-request-id')).toBeTruthy();
    const csv = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    // Excel needs the mark.
    expect(csv.slice(1).split('\r\n').toSorted()).toEqual(
      [
        '',
        'source_local_part,destination,active',
        ',catch@far.example,true',
        "'-x,c@far.example,true",
        "''-y,c@far.example,true",
        `'=cmd,"'+a@far.example,b@far.example",false`,
      ].toSorted(),
    );
    expect((await importCsv(csv)).data).toMatchObject({ total: 4, unchanged: 4 });
    await db.alias.deleteMany({ where: { domainId: domain.id } });
    expect((await importCsv(csv)).data).toMatchObject({ total: 4, created: 4 });
    const whole = await (await api.download('/aliases/export')).text();
    expect(
      (await importCsv(whole)).data.lines.filter(({ outcome }: { outcome: string }) => outcome === 'unchanged'),
    ).toHaveLength(4);
  });

  it('returns every row of a large domain', async () => {
    const data = Array.from({ length: 2500 }, (_, i) => ({
      domainId: domain.id,
      sourceLocalPart: `a${i}`,
      destination: 'x@far.example',
    }));
    await db.alias.createMany({ data });
    const csv = await (await api.download(`/aliases/export?domain_id=${domain.id}`)).text();
    expect(new Set(csv.trim().split('\r\n')).size).toBe(2501);
  });

  it('has whole addresses of all domains, and needs a domain where the list does', async () => {
    const other = await makeDomain();
    await makeAlias(domain.id, 'hello', 'a@far.example');
    await makeAlias(other.id, '', 'b@far.example', { active: false });
    const response = await api.download('/aliases/export?q=far.example');
    expect(response.headers.get('content-disposition')).toMatch(/filename="aliases-[\d-]+\.csv"/);
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toBe('address,destination,active');
    expect(lines).toContain(`hello@${domain.name},a@far.example,true`);
    expect(lines).toContain(`'@${other.name},b@far.example,false`);
    const ofDomain = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expectError(await ofDomain.get('/aliases/export'), 400, 'MISSING_FIELDS');
  });

  it('rejects a domain outside the caller’s scope with the error envelope', async () => {
    const unassigned = await keyClient({ role: 'domain_admin' });
    expectError(await unassigned.get(`/aliases/export?domain_id=${domain.id}`), 403, 'FORBIDDEN');
  });
});
