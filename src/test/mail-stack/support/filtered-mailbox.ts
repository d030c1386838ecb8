import { expect, vi } from 'vitest';
import { makeDomain, makeMailbox, newName, PASSWORD } from './directory';
import { signInToImap } from './imap-session';
import { db } from './mail-server';
import { messageText, openInbound } from './smtp-session';

export const DELIVERY_TIMEOUT_MS = 20_000;

type Scope = 'global' | 'domain' | 'mailbox';

export type FilteredMailbox = Awaited<ReturnType<typeof makeFilteredMailbox>>;

/** A mailbox in a domain of its own, to which filters can be added. */
export async function makeFilteredMailbox() {
  const domain = await makeDomain();
  const mailbox = await makeMailbox(domain.id, 'ann');
  const address = `ann@${domain.name}`;

  function makeFilter(scope: Scope, script: string, over: { position?: number; active?: boolean } = {}) {
    const owner = { global: {}, domain: { domainId: domain.id }, mailbox: { mailboxId: mailbox.id } }[scope];
    return db.sieveFilter.create({ data: { scope, ...owner, name: newName(), script, ...over } });
  }

  async function send(word: string, from: string, header: string) {
    const subject = `${newName()} ${word}`.trim();
    const session = await openInbound();
    expect(await session.send(from, [address], `${header}${messageText({ from, to: address, subject })}`)).toMatch(
      /^250 /,
    );
    return subject;
  }

  /** Sends a message with this word. @returns all folders in which it was stored */
  async function foldersAfterSending(word = '', from = 'someone@elsewhere.example', header = ''): Promise<string[]> {
    const subject = await send(word, from, header);
    const imap = await signInToImap(address, PASSWORD);
    return vi.waitFor(
      async () => {
        const found: string[] = [];
        for (const folder of foldersIn(await imap.command('LIST "" "*"'))) {
          const messages = await imap.messages(folder);
          found.push(...messages.filter((text) => text.includes(`Subject: ${subject}\r\n`)).map(() => folder));
        }
        if (found.length === 0) throw new Error(`"${subject}" isn't in the mailbox.`);
        return found;
      },
      { timeout: DELIVERY_TIMEOUT_MS, interval: 50 },
    );
  }

  return { domain, mailbox, address, makeFilter, send, foldersAfterSending };
}

/** A script that files messages whose subject ends with the word. */
export const files = (word: string, folder: string) =>
  `require ["fileinto", "mailbox"];\nif header :matches "subject" "* ${word}" { fileinto :create "${folder}"; }\n`;

const foldersIn = (listed: string) =>
  [...listed.matchAll(/^\* LIST .* "?([^"\r\n]+?)"?\r\n/gm)].map(([, name]) => String(name));
