import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setSettings } from '../../settings';

/** More than the client sends before a message, including TLS, and less than the long test message. */
const LOSS_AFTER_BYTES = 32 * 1024;

type Loss = 'reply' | 'rest of the data';

/** A TCP proxy between the app and the mail server at SMTP_URL, which can lose data. The traffic is encrypted. */
export async function startSmtpProxy() {
  const url = new URL(process.env.SMTP_URL ?? '');
  const [mtaHost, mtaPort] = [url.hostname, Number(url.port)];
  let loss: Loss | null = null;
  let bytesFromApp = 0;
  const isLosing = (part: Loss) => loss === part && bytesFromApp > LOSS_AFTER_BYTES;

  const proxy = createServer((app) => {
    const mta = connect(mtaPort, mtaHost);
    const cut = () => [app, mta].forEach((end: Socket) => void end.destroy());
    for (const end of [app, mta]) end.on('error', cut).on('close', cut);
    app.on('data', (bytes) => {
      bytesFromApp += bytes.length;
      if (!isLosing('rest of the data')) mta.write(bytes);
    });
    mta.on('data', (bytes) => {
      // The server sends nothing during the data, so this is the final reply.
      if (isLosing('reply')) cut();
      else app.write(bytes);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.port = String((proxy.address() as AddressInfo).port);
  setSettings({ SMTP_URL: url.href });

  return {
    /** `reply`: disconnects instead of forwarding the final reply. `rest of the data`: silently drops the end of the data. */
    async withLoss<Value>(part: Loss, work: () => Promise<Value>): Promise<Value> {
      [loss, bytesFromApp] = [part, 0];
      try {
        return await work();
      } finally {
        loss = null;
      }
    },
    close: () => proxy.close(),
  };
}
