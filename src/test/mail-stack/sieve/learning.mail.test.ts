import { expect, it } from 'vitest';
import { makeDomain, makeMailbox, newName, PASSWORD } from '../support/directory';
import { redis } from '../support/dkim-keys';
import { signInToImap, waitForMessage } from '../support/imap-session';
import { whileStopped } from '../support/services';
import { messageText, openInbound } from '../support/smtp-session';

/** Long enough for Rspamd to learn from. */
const newText = () => Array.from({ length: 40 }, newName).join(' ');

async function learnt() {
  const [spam, ham] = await redis.hmget('RS', 'learns_spam', 'learns_ham');
  return { spam: Number(spam), ham: Number(ham) };
}

it('Rspamd learns from what is moved to Junk and to the inbox, but not from what is deleted', async () => {
  const domain = await makeDomain();
  const address = `ann@${domain.name}`;
  await makeMailbox(domain.id, 'ann');
  const session = await openInbound();
  for (const subject of ['First', 'Second', 'Third']) {
    const text = messageText({ from: 'x@elsewhere.example', to: address, subject, body: newText() });
    await session.send('x@elsewhere.example', [address], text);
    await waitForMessage(address, subject);
  }
  const imap = await signInToImap(address, PASSWORD);
  const move = async (messages: string, from: string, to: string) => {
    await imap.command(`SELECT ${from}`);
    expect(await imap.command(`MOVE ${messages} ${to}`)).toMatch(/ OK /);
  };
  const { spam, ham } = await learnt();
  await move('1:2', 'INBOX', 'Junk');
  expect(await learnt()).toEqual({ spam: spam + 2, ham });
  await move('1', 'Junk', 'INBOX');
  // Rspamd may take back what it learnt before of the same message.
  const then = await learnt();
  expect(then.ham).toBe(ham + 1);
  await imap.command('CREATE "Deleted Items"');
  await move('1', 'Junk', '"Deleted Items"');
  await move('1', 'INBOX', 'Drafts');
  expect(await learnt()).toEqual(then);
  await whileStopped('rspamd', () => move('1', 'INBOX', 'Junk'));
});
