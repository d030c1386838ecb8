import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { complaintMail } from '@/test/mail/complaint-mail';
import { currentState, makeMessage } from '@/test/mail/reported-message';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { keyClient } from '@/test/rest';
import { mailServerCalls } from '../service';
import { bounceAddress } from './bounce-address';

const { sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * 1024 * 1024 });
const api = await keyClient();

let domain: { id: string; name: string };
let message: Awaited<ReturnType<typeof makeMessage>>;

beforeEach(async () => {
  domain = await makeDomain();
  message = await makeMessage(domain, 'delivered', ['Ann+news@far.example']);
});

const sender = (id = message.id) => bounceAddress(id, domain.name);
const complain = (raw: string, to = `complaint-reports@${domain.name}`) => sendRaw(raw, to, 'feedback@mail.example');
const dropped = async () =>
  (await api.get(`/unread-bounces?domain_id=${domain.id}`)).data.dropped.map(
    ({ reason }: { reason: string }) => reason,
  );
const suppressions = () => db.suppression.findMany({ where: { domainId: domain.id } });

describe('a complaint', () => {
  it('to the address for feedback loops suppresses the recipient, with trace and event', async () => {
    expect(await complain(complaintMail({ sender: sender() }))).toMatch(/^250 /);
    const { status, trace, events } = await currentState(message);
    expect({ status, trace }).toEqual({ status: 'delivered', trace: ['complained'] });
    expect(events).toMatchObject([
      {
        event: 'mail.complained',
        domainId: domain.id,
        data: {
          message_id: message.messageId,
          recipient: 'Ann+news@far.example',
          subject: 'Hello',
          feedback_type: 'abuse',
        },
      },
    ]);
    expect(await suppressions()).toMatchObject([
      { email: 'ann@far.example', reason: 'complaint', list: null, sourceMessageId: message.id },
    ]);
    const { data } = await api.get(`/messages/${message.id}`);
    expect(data.events).toMatchObject([{ type: 'complained', detail: { feedback_type: 'abuse' } }]);
    expect(await dropped()).toEqual([]);
  });

  it('to the bounce address does the same, and opting out too', async () => {
    await complain(complaintMail({ type: 'opt-out' }), sender());
    expect(await currentState(message)).toMatchObject({ trace: ['complained'], emitted: ['mail.complained'] });
    expect(await suppressions()).toMatchObject([{ reason: 'complaint' }]);
  });

  it('changes nothing the second time', async () => {
    await complain(complaintMail({ sender: sender() }));
    await complain(complaintMail({}), sender());
    expect(await currentState(message)).toMatchObject({ trace: ['complained'], emitted: ['mail.complained'] });
    expect(await suppressions()).toHaveLength(1);
  });

  it('about a message to several is recorded for the one that it names, and suppresses nobody', async () => {
    const both = await makeMessage(domain, 'delivered', ['ann@far.example', 'bo@far.example']);
    await complain(complaintMail({ sender: sender(both.id), recipient: 'Bo@far.example' }));
    expect(await db.messageEvent.findMany({ where: { messageId: both.id } })).toMatchObject([
      { type: 'complained', recipient: 'bo@far.example' },
    ]);
    await complain(complaintMail({ sender: sender(both.id) }));
    expect(await suppressions()).toEqual([]);
    expect(await dropped()).toEqual(['other_recipient']);
  });

  it.each([
    [
      'with a forged sender',
      () => complaintMail({ sender: sender().replace(/.@/, (end) => (end === '0@' ? '1@' : '0@')) }),
      ['no_message'],
    ],
    ['without a sender', () => complaintMail({}), ['no_message']],
    ['of another kind', () => complaintMail({ sender: sender(), type: 'not-spam' }), []],
    ['that is none', () => 'Subject: Hello\r\n\r\nBuy this.\r\n', ['unreadable']],
  ])('%s changes nothing', async (_name, raw, reasons) => {
    await complain(raw());
    expect(await currentState(message)).toMatchObject({ trace: [], emitted: [] });
    expect(await suppressions()).toEqual([]);
    expect(await dropped()).toEqual(reasons);
  });

  it('is recorded as mail that is read, and goes to a mailbox of that name instead', async () => {
    await complain(complaintMail({ sender: sender() }));
    const route = async () => {
      const row = await db.message.findFirstOrThrow({
        where: { domainId: domain.id, direction: 'inbound' },
        orderBy: { id: 'desc' },
        include: { recipients: true },
      });
      return row.recipients.map((recipient) => recipient.route);
    };
    expect(await route()).toEqual(['reports']);
    await makeMailbox(domain.id, 'complaint-reports');
    const other = await makeMessage(domain, 'delivered', ['cy@far.example']);
    await complain(complaintMail({ sender: sender(other.id) }));
    expect(await route()).toEqual(['mailbox']);
    expect(await currentState(other)).toMatchObject({ trace: [] });
  });
});
