import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** More than the two say to each other before a message, with TLS, and less than the message that is to be lost. */
const LOSS_AFTER_BYTES = 32 * 1024;

type Loss = 'answer' | 'rest of the data';

/**
 * The line between the app and the mail server at SMTP_URL, which a test may have fail; what goes over it is sealed. To be
 * awaited in `vi.hoisted`.
 */
export async function startSmtpProxy() {
  const url = new URL(process.env.SMTP_URL ?? '');
  const [mtaHost, mtaPort] = [url.hostname, Number(url.port)];
  let loss: Loss | null = null;
  let bytesFromApp = 0;
  const isLosing = (what: Loss) => loss === what && bytesFromApp > LOSS_AFTER_BYTES;

  const proxy = createServer((app) => {
    const mta = connect(mtaPort, mtaHost);
    const cut = () => [app, mta].forEach((end: Socket) => void end.destroy());
    for (const end of [app, mta]) end.on('error', cut).on('close', cut);
    app.on('data', (bytes) => {
      bytesFromApp += bytes.length;
      if (!isLosing('rest of the data')) mta.write(bytes);
    });
    mta.on('data', (bytes) => {
      // From the data's beginning to its end the server says nothing: this is what it says to the whole of it.
      if (isLosing('answer')) cut();
      else app.write(bytes);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.port = String((proxy.address() as AddressInfo).port);
  process.env.SMTP_URL = url.href;

  return {
    /** `answer`: it breaks when the server answers to the data. `rest of the data`: it goes dead amid it, and tells nobody. */
    async withLoss<Value>(what: Loss, work: () => Promise<Value>): Promise<Value> {
      [loss, bytesFromApp] = [what, 0];
      try {
        return await work();
      } finally {
        loss = null;
      }
    },
    close: () => proxy.close(),
  };
}
