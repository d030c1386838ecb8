import { onTestFinished } from 'vitest';
import { portOf } from './mail-server';
import { openWire } from './wire';

/** Signs in with ManageSieve. */
export async function openManageSieve(user: string, password: string) {
  const wire = await openWire(portOf('SIEVE_PORT'), false);
  onTestFinished(wire.close);
  const answer = async () => {
    const text = await wire.readUntil(/^(OK|NO|BYE)\b.*\r\n/m);
    if (!/^OK\b/m.test(text)) throw new Error(`ManageSieve answered ${JSON.stringify(text)}.`);
  };
  const command = (text: string) => {
    wire.write(`${text}\r\n`);
    return answer();
  };
  await answer();
  await command('STARTTLS').then(wire.startTls);
  await answer();
  await command(`AUTHENTICATE "PLAIN" "${Buffer.from(`\0${user}\0${password}`).toString('base64')}"`);
  /** Resolves once the server ends the session. */
  const ended = () => wire.readUntil(/^BYE\b.*\r\n/m);
  return { command, close: wire.close, ended };
}

/** Uploads and activates a script with ManageSieve, like a mail program does. */
export async function uploadScript(user: string, password: string, script: string, name = 'main'): Promise<void> {
  const session = await openManageSieve(user, password);
  await session.command(`PUTSCRIPT "${name}" {${Buffer.byteLength(script)}+}\r\n${script}`);
  await session.command(`SETACTIVE "${name}"`);
  session.close();
}
