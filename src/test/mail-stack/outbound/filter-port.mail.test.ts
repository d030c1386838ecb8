import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { activateKey } from '../support/dkim-keys';
import { portOf } from '../support/mail-server';
import { at, domain, remoteAddress, remoteServer, traceMail } from '../support/traced-mail';

await traceMail();

/** Sends a message to a port of this host as another user, and prints the replies. */
const SEND = `
  const [port, ...lines] = process.argv.slice(1);
  const socket = require('node:net').connect(Number(port), '127.0.0.1');
  socket.on('data', (data) => {
    process.stdout.write(data);
    if (/^\\d{3} .*\\r\\n$/m.test(String(data))) socket.write(lines.shift() + '\\r\\n');
  });
  // Postfix may close the connection before it has read everything. Its replies count.
  socket.on('error', () => {});
  socket.on('close', () => process.exit(0));
`;

it.each(['nobody', 'root'])('the port for mail of filters accepts nothing from %s', async (user) => {
  await activateKey(domain.name, 'first');
  const to = remoteAddress();
  const lines = ['EHLO client', `MAIL FROM:<${at('ann')}>`, `RCPT TO:<${to}>`, 'QUIT'];
  const args = ['-u', user, '--', process.execPath, '-e', SEND, String(portOf('FILTER_PORT')), ...lines];
  const replies = execFileSync('runuser', args, { cwd: '/', encoding: 'utf8' });
  expect(replies).toMatch(/^5\d\d 5\.7\.1 .*Only filters can send mail here/m);
  expect(remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(to))).toEqual([]);
});
