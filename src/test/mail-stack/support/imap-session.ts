import { onTestFinished, vi } from 'vitest';
import { PASSWORD } from './directory';
import { portOf } from './mail-server';
import { openWire } from './wire';

const ARRIVAL_TIMEOUT_MS = 150_000;

/** @returns the reply to LOGIN, and the session */
export async function signInToImap(
  user: string,
  password: string,
  { isTls = true, from }: { isTls?: boolean; from?: string } = {},
) {
  const wire = await openWire(portOf(isTls ? 'IMAPS_PORT' : 'IMAP_PORT'), isTls, from);
  onTestFinished(wire.close);
  await wire.readUntil(/^\* OK .*\r\n/m);
  let count = 0;
  const command = async (text: string) => {
    const tag = `t${++count}`;
    wire.write(`${tag} ${text}\r\n`);
    return wire.readUntil(new RegExp(`^${tag} .*\\r\\n`, 'm'));
  };
  const greeting = await command('CAPABILITY');
  const answer = await command(`LOGIN "${user}" "${password}"`);
  /** All messages of a folder with their content. */
  const messages = async (folder = 'INBOX') => {
    const selected = await command(`SELECT "${folder}"`);
    if (/^\* 0 EXISTS/m.test(selected)) return [];
    return literalsOf(await command('FETCH 1:* BODY.PEEK[]'));
  };
  /** Resolves once the server ends the session. */
  const ended = () => wire.readUntil(/^\* BYE .*\r\n/m);
  return { greeting, answer, isSignedIn: / OK /.test(answer), command, messages, ended };
}

/** Waits until a message with this subject is in the inbox. */
export async function waitForMessage(address: string, subject: string, password = PASSWORD): Promise<string> {
  const session = await signInToImap(address, password);
  return vi.waitFor(
    async () => {
      const found = (await session.messages()).find((text) => text.includes(`Subject: ${subject}\r\n`));
      if (!found) throw new Error(`"${subject}" isn't in the inbox of ${address}.`);
      return found;
    },
    { timeout: ARRIVAL_TIMEOUT_MS, interval: 50 },
  );
}

function literalsOf(response: string): string[] {
  const literals: string[] = [];
  const announcement = /\{(\d+)\}\r\n/g;
  for (let match = announcement.exec(response); match; match = announcement.exec(response)) {
    const end = announcement.lastIndex + Number(match[1]);
    literals.push(response.slice(announcement.lastIndex, end));
    announcement.lastIndex = end;
  }
  return literals;
}
