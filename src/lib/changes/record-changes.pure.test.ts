import { describe, expect, it } from 'vitest';
import { fieldLabel } from './field-labels';
import { type FieldChange, type RecordFields, recordChanges } from './record-changes';

const SIGNS = { added: '+', removed: '-', kept: ' ', gap: '…' };

function shown(changes: FieldChange[]): string[] {
  return changes.flatMap(({ label, lines }) => [label, ...lines.map(({ sign, text }) => `${SIGNS[sign]} ${text}`)]);
}

const between = (before: RecordFields | null, after: RecordFields | null, names = {}) =>
  shown(recordChanges(before, after, names));

describe('the changes of a record', () => {
  it('have one line per destination, whole, and those that stayed', () => {
    expect(
      between(
        { destination: 'ann@far.example,bo@far.example' },
        { destination: 'ann@far.example,a.very-long_name@far.example' },
      ),
    ).toEqual(['Destinations', '  ann@far.example', '- bo@far.example', '+ a.very-long_name@far.example']);
  });

  it('leave out bookkeeping and what stayed', () => {
    const before = {
      updated_at: '2026-01-01T00:00:00.000Z',
      warnings: [],
      used_bytes: 1,
      mailbox_count: 3,
      active: true,
    };
    const after = {
      ...before,
      updated_at: '2026-01-02T00:00:00.000Z',
      warnings: ['x'],
      used_bytes: 2,
      mailbox_count: 4,
    };
    expect(between(before, after)).toEqual([]);
    expect(between({ ...before, active: false }, after)).toEqual(['State', '- Inactive', '+ Active']);
  });

  it('ignore the order of a list, and count what stayed of a long one', () => {
    expect(between({ events: ['a', 'b'] }, { events: ['b', 'a'] })).toEqual([]);
    const many = Array.from({ length: 40 }, (_, index) => `d${index}.example`);
    expect(between({ domains: many }, { domains: many.slice(1) })).toEqual([
      'Domains',
      '… 39 unchanged entries',
      '- d0.example',
    ]);
  });

  it('show values in words, with units, and an empty one as such', () => {
    expect(between({ quota_bytes: 1024 ** 3 }, { quota_bytes: null })).toEqual(['Quota', '- 1 GB', '+ No limit']);
    expect(between({ description: '' }, { description: 'The shop' })).toEqual([
      'Description',
      '- Not set',
      '+ The shop',
    ]);
    expect(between({ max_aliases: 1500 }, { max_aliases: 20_000 })).toEqual(['Alias limit', '- 1,500', '+ 20,000']);
    expect(between({ totp_enabled: true }, { totp_enabled: false })).toEqual([
      'Two-factor authentication',
      '- Yes',
      '+ No',
    ]);
  });

  it('show the changed lines of a script with the lines around them', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `# ${index}`);
    expect(between({ script: lines.join('\n') }, { script: lines.toSpliced(6, 1, 'stop;').join('\n') })).toEqual([
      'Script',
      '… 4 unchanged lines',
      '  # 4',
      '  # 5',
      '- # 6',
      '+ stop;',
      '  # 7',
      '  # 8',
      '… 3 unchanged lines',
    ]);
    expect(between({ script: 'keep;\n' }, { script: 'keep;\nstop;\n' })).toEqual(['Script', '  keep;', '+ stop;']);
  });

  it('of a new or deleted record are the values that it has', () => {
    const alias = {
      id: '1',
      address: 'a@b.example',
      source_local_part: 'a',
      domain_id: '2',
      destination: 'x@y.example',
    };
    expect(between(null, { active: false })).toEqual(['State', '+ Inactive']);
    expect(between(null, alias)).toEqual(['Address', '+ a@b.example', 'Destinations', '+ x@y.example']);
    expect(between({ ...alias, display_name: '', quota_bytes: null, suspended: false }, null)).toEqual([
      'Address',
      '- a@b.example',
      'Destinations',
      '- x@y.example',
    ]);
  });

  it('name the records that fields refer to, and keep an id without a name', () => {
    const names = { one: 'one.example' };
    expect(between({ domain_ids: ['one'] }, { domain_ids: ['two'] }, names)).toEqual([
      'Domains',
      '- one.example',
      '+ two',
    ]);
    expect(between({ report_mailbox_id: null }, { report_mailbox_id: 'one' }, names)).toEqual([
      'Report mailbox',
      '- Not set',
      '+ one.example',
    ]);
  });

  it('need no JSON for objects within a record', () => {
    expect(between(null, { action: 'restore_mail', input: { mailbox: 'a@b.example' } })).toEqual([
      'Action',
      '+ restore_mail',
      'Mailbox',
      '+ a@b.example',
    ]);
  });
});

it('labels of fields are words, and settings keep their names', () => {
  expect(['hourly_send_limit', 'scoped_domain_ids', 'url', 'REPORT_RETENTION_DAYS'].map(fieldLabel)).toEqual([
    'Hourly limit',
    'Scoped domains',
    'URL',
    'REPORT_RETENTION_DAYS',
  ]);
});
