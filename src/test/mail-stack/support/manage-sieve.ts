import { portOf } from './mail-server';
import { openWire } from './wire';

/** Uploads and activates a script with ManageSieve, like a mail program does. */
export async function uploadScript(user: string, password: string, script: string, name = 'main'): Promise<void> {
  const wire = await openWire(portOf('SIEVE_PORT'), false);
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
  await command(`PUTSCRIPT "${name}" {${Buffer.byteLength(script)}+}\r\n${script}`);
  await command(`SETACTIVE "${name}"`);
  wire.close();
}
