import { expect, it } from 'vitest';
import { readHeader } from './header';

const ENDLESS_LIST = `To: ${'<somebody@far.example>,\r\n '.repeat(80_000)}<last@far.example>\r\n`;
const FIELDS = 'From: <ann@far.example>\r\nSubject: Hello\r\n';

function read(header: string) {
  return readHeader({
    header: new TextEncoder().encode(header),
    mailFrom: 'bounces@far.example',
    resolved: [{ address: 'bo@here.example' }],
  });
}

it('fields before an endless list of recipients are read, and the rest of the list is not', async () => {
  const { from, subject, whole } = await read(`${FIELDS}${ENDLESS_LIST}`);
  const recipients = whole.addresses('to');
  expect({ from, subject }).toEqual({ from: 'ann@far.example', subject: 'Hello' });
  expect(recipients.length).toBeGreaterThan(1_000);
  expect(recipients.length).toBeLessThan(10_000);
});

it('fields after an endless list of recipients are not read', async () => {
  const { from, subject } = await read(`${ENDLESS_LIST}${FIELDS}`);
  expect({ from, subject }).toEqual({ from: 'bounces@far.example', subject: '' });
});
