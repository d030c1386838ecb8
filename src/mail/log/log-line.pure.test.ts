import { describe, expect, it } from 'vitest';
import { parseLogLine } from './log-line';

const NOW = new Date(Date.UTC(2026, 10, 21, 13, 0, 0));
const parse = (text: string, now = NOW) => parseLogLine(`Nov 21 12:44:59 mail postfix/${text}`, now);
const delivery = (text: string, agent = 'smtp') => parse(`${agent}[1989]: 4jWsNp52fqzLZFx: ${text}`);
const TIMES = 'delay=0.42, delays=0.22/0.03/0.13/0.04';

describe('a log line about a message', () => {
  it.each([
    [
      'submissions/smtpd[1975]: 4jWsNp52fqzLZFx: client=localhost[127.0.0.1], sasl_method=PLAIN, sasl_username=ann@d.example',
      { kind: 'client', login: 'ann@d.example', clientAddress: '127.0.0.1' },
    ],
    [
      'smtpd[1991]: 4jWsNq06RtzLZG0: client=unknown[2001:db8::1]',
      { kind: 'client', login: null, clientAddress: '2001:db8::1' },
    ],
    ['cleanup[1984]: 4jWsNq06RtzLZG0: message-id=<a0@out.example>', { kind: 'named', messageId: '<a0@out.example>' }],
    ['cleanup[1984]: 4jWsNq06RtzLZG0: message-id=', { kind: 'named', messageId: '' }],
    [
      'qmgr[1290]: 4jWsNp52fqzLZFx: from=<ann@d.example>, size=513, nrcpt=3 (queue active)',
      { kind: 'queued', from: 'ann@d.example', sizeBytes: 513 },
    ],
    ['qmgr[1290]: 4jWsNq0djPzLZG1: from=<>, size=3108, nrcpt=1 (queue active)', { kind: 'queued', from: '' }],
    ['qmgr[1290]: 4jWsNp52fqzLZFx: from=<a@d.example>, status=expired, returned to sender', { kind: 'expired' }],
    ['qmgr[1290]: 4jWsNp52fqzLZFx: from=<a@d.example>, status=force-expired, returned to sender', { kind: 'expired' }],
    ['qmgr[1290]: 4jWsNp52fqzLZFx: removed', { kind: 'removed' }],
    ['postsuper[77]: 4jWsNp52fqzLZFx: removed', { kind: 'deleted' }],
    ['postsuper[77]: 4jWsNp52fqzLZFx: placed on hold', { kind: 'held' }],
    ['postsuper[77]: 4jWsNp52fqzLZFx: released from hold', { kind: 'released' }],
    [
      'cleanup[1984]: 4jWsNq0qZPzLZFZ: milter-reject: END-OF-MESSAGE from localhost[127.0.0.1]: 5.7.1 Gtube pattern; ' +
        'from=<x@out.example> to=<bo@d.example> proto=ESMTP helo=<[127.0.0.1]>',
      { kind: 'rejected', enhancedCode: '5.7.1', from: 'x@out.example', to: 'bo@d.example' },
    ],
  ])('is parsed: %s', (line, fact) => {
    expect(parse(line)).toMatchObject(fact);
  });

  it('other lines are skipped', () => {
    for (const line of [
      'anvil[12]: statistics: max connection rate 1/60s for (smtp:127.0.0.1) at Nov 21 12:44:58',
      'smtpd[12]: NOQUEUE: reject: RCPT from x[192.0.2.1]: 550 5.1.1 <a@d.example>: No such user',
      'bounce[1996]: 4jWsNp52fqzLZFx: sender non-delivery notification: 4jWsNq0djPzLZG1',
      'smtpd[1297]: lost connection after CONNECT from localhost[127.0.0.1]',
      '',
    ]) {
      expect(parse(line)).toBeNull();
    }
  });
});

describe('a delivery', () => {
  it('accepted by the receiving server has every field', () => {
    expect(
      delivery(
        `to=<a@far.example>, relay=mx.far.example[192.0.2.7]:25, ${TIMES}, dsn=2.0.0, status=sent (250 2.0.0 Ok: 7F)`,
      ),
    ).toEqual({
      at: new Date(Date.UTC(2026, 10, 21, 12, 44, 59)),
      queueId: '4jWsNp52fqzLZFx',
      kind: 'delivery',
      status: 'sent',
      agent: 'smtp',
      recipient: 'a@far.example',
      addressedTo: 'a@far.example',
      remoteMta: 'mx.far.example',
      delaySeconds: 0.42,
      enhancedCode: '2.0.0',
      smtpCode: 250,
      response: '250 2.0.0 Ok: 7F',
    });
  });

  it('rejected or deferred has the reply and the host that sent it', () => {
    const reply = 'host mx2.far.example[192.0.2.8] said: 550 5.1.1 No (such) user (in reply to RCPT TO command)';
    expect(delivery(`to=<b@far.example>, relay=none, ${TIMES}, dsn=5.1.1, status=bounced (${reply})`)).toMatchObject({
      status: 'bounced',
      remoteMta: 'mx2.far.example',
      smtpCode: 550,
      response: '550 5.1.1 No (such) user',
    });
    const busy = 'host mx.far.example[192.0.2.7] refused to talk to me: 421 4.7.0 Busy';
    expect(delivery(`to=<b@far.example>, relay=none, ${TIMES}, dsn=4.7.0, status=deferred (${busy})`)).toMatchObject({
      status: 'deferred',
      smtpCode: 421,
      response: '421 4.7.0 Busy',
    });
  });

  it('without a connection has no SMTP code', () => {
    const text = 'connect to mx.far.example[192.0.2.7]:25: Connection refused';
    expect(delivery(`to=<b@far.example>, relay=none, ${TIMES}, dsn=4.4.1, status=deferred (${text})`)).toMatchObject({
      remoteMta: null,
      smtpCode: null,
      enhancedCode: '4.4.1',
      response: text,
    });
  });

  it('to a local mailbox has the host name without the socket path', () => {
    const relay = 'mail.example.test[/var/lib/postroom-mail/run/dovecot/lmtp]';
    const line = `to=<ann@d.example>, orig_to=<info@d.example>, relay=${relay}, conn_use=2, ${TIMES}, dsn=2.0.0, status=sent (250 2.0.0 Saved)`;
    expect(delivery(line, 'lmtp')).toMatchObject({
      agent: 'lmtp',
      recipient: 'ann@d.example',
      addressedTo: 'info@d.example',
      remoteMta: 'mail.example.test',
    });
  });

  it('rejected after the data has the reply of the mailbox server', () => {
    const reply = '552 5.2.2 <ann@d.example> The mailbox is full';
    const text = `host mail.example.test[/run/dovecot/lmtp] said: ${reply} (in reply to end of DATA command)`;
    const line = `to=<ann@d.example>, relay=mail.example.test[/run/dovecot/lmtp], ${TIMES}, dsn=5.2.2, status=bounced (${text})`;
    expect(delivery(line, 'lmtp')).toMatchObject({ status: 'bounced', smtpCode: 552, response: reply });
  });

  it('with a reply so long that Postfix cut the line has the start of the reply', () => {
    const prefix = `to=<b@far.example>, relay=mx.far.example[192.0.2.7]:25, ${TIMES}, dsn=5.7.1, status=bounced (`;
    const reply = `550 5.7.1 ${'See our policy. '.repeat(130)}`;
    for (const end of [1500, 1501]) {
      const text = `host mx.far.example[192.0.2.7] said: ${reply.slice(0, end)}`;
      expect(delivery(`${prefix}${text}`)).toMatchObject({
        status: 'bounced',
        remoteMta: 'mx.far.example',
        smtpCode: 550,
        response: reply.slice(0, end),
      });
    }
    const cutAfterReply = `host mx.far.example[192.0.2.7] said: 550 5.7.1 No (in reply to RCPT TO comm`;
    expect(delivery(`${prefix}${cutAfterReply}`)).toMatchObject({ response: '550 5.7.1 No' });
    expect(delivery(`${prefix.replace('bounced', 'sent')}250 Ok, thanks (all`)).toMatchObject({
      status: 'sent',
      response: '250 Ok, thanks (all',
    });
  });

  it('isn’t fooled by an address that looks like the rest of a line', () => {
    const address = '"x>, relay=mx[1.1.1.1]:25, delay=1, delays=1/1/1/1, dsn=2.0.0, status=sent (250 ok)"@far.example';
    const line = `to=<${address}>, relay=none, ${TIMES}, dsn=4.4.1, status=deferred (connection timed out)`;
    expect(delivery(line)).toMatchObject({ recipient: address, status: 'deferred', response: 'connection timed out' });
  });
});

describe('the time of a log line', () => {
  it('is in the latest year that makes it past', () => {
    const newYear = new Date(Date.UTC(2027, 0, 1, 0, 0, 5));
    expect(parseLogLine('Dec 31 23:59:58 mail postfix/qmgr[1]: 4jWsNp52fqzLZFx: removed', newYear)?.at).toEqual(
      new Date(Date.UTC(2026, 11, 31, 23, 59, 58)),
    );
    expect(parseLogLine('Jan  1 00:00:02 mail postfix/qmgr[1]: 4jWsNp52fqzLZFx: removed', newYear)?.at).toEqual(
      new Date(Date.UTC(2027, 0, 1, 0, 0, 2)),
    );
  });

  it('can be slightly ahead of the clock', () => {
    expect(
      parse('qmgr[1]: 4jWsNp52fqzLZFx: removed', new Date(Date.UTC(2026, 10, 21, 12, 44, 50)))?.at.getUTCFullYear(),
    ).toBe(2026);
  });
});
