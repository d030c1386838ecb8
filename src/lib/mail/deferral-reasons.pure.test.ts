import { describe, expect, it } from 'vitest';
import { explainDeferral } from './deferral-reasons';

const titleOf = (reason: string | null, address = 'ann@far.example') => explainDeferral(reason, address)?.title;

describe('the explanation of a deferral', () => {
  it.each([
    ['connect to mx.far.example[192.0.2.7]:25: Connection refused', 'mx.far.example refused the connection'],
    ['connect to mx.far.example[2001:db8::7]:25: Connection timed out', 'mx.far.example could not be reached'],
    ['connect to 192.0.2.7[192.0.2.7]:25: No route to host', '192.0.2.7 could not be reached'],
    [
      'delivery temporarily suspended: connect to mx.far.example[192.0.2.7]:25: Connection refused',
      'mx.far.example refused the connection',
    ],
    [
      'lost connection with mx.far.example[192.0.2.7] while receiving the initial server greeting',
      'mx.far.example could not be reached',
    ],
    [
      'conversation with mx.far.example[192.0.2.7] timed out while sending RCPT TO',
      'mx.far.example could not be reached',
    ],
    [
      'Host or domain name not found. Name service error for name=far.example type=MX: Host not found, try again',
      'No mail server found for far.example',
    ],
    [
      'SASL authentication failed; server smtp.relay.example[192.0.2.8] said: 535 5.7.8 Wrong password',
      'smtp.relay.example rejected the sign-in',
    ],
    ['Cannot start TLS: handshake failure', 'TLS connection to far.example failed'],
    [
      'connect to mail.example.com[/srv/mail/run/dovecot/lmtp]: No such file or directory',
      'Part of your mail server is not responding',
    ],
    ['mail transport unavailable', 'Part of your mail server is not responding'],
    [
      'host mx.far.example[192.0.2.7] said: 451 4.7.1 Greylisted, try again later (in reply to RCPT TO command)',
      'far.example asked to retry later',
    ],
    ['host mx.far.example[192.0.2.7] said: 452-4.2.2 The mailbox is full', 'far.example says the mailbox is full'],
    ['host smtp.relay.example[192.0.2.8] said: 451 4.7.1 Too fast', 'smtp.relay.example asked to retry later'],
    ['host notfar.example[192.0.2.8] said: 451 Not now', 'notfar.example deferred the message'],
    ['host mx.far.example[192.0.2.7] said: 421 too many connections', 'far.example deferred the message'],
    ['a reason without a rule', 'far.example deferred the message'],
    [null, undefined],
  ])('%s', (reason, title) => {
    expect(titleOf(reason)).toBe(title);
  });

  it.each([
    ['connect to mx.far.example[192.0.2.7]:25: Connection refused', 'Connection refused by mx.far.example'],
    ['connect to mx.far.example[192.0.2.7]:25: Connection timed out', 'No answer from mx.far.example'],
    ['host mx.far.example[192.0.2.7] said: 452-4.2.2 Full', 'Mailbox full, says far.example'],
    ['host smtp.relay.example[192.0.2.8] said: 451 4.7.1 Too fast', 'Asked to retry later by smtp.relay.example'],
    ['host mx.far.example[192.0.2.7] said: 421 too many connections', 'Temporary error, says far.example'],
    ['Cannot start TLS: handshake failure', 'TLS connection to far.example failed'],
  ])('is in brief what is wrong, then who says so: %s', (reason, brief) => {
    expect(explainDeferral(reason, 'ann@far.example')?.brief).toBe(brief);
  });

  it('says what an admin can do about a full mailbox of the mail server’s own', () => {
    const reason = 'host mx.far.example[192.0.2.7] said: 452-4.2.2 The mailbox is full';
    expect(explainDeferral(reason, 'ann@far.example')?.text).toContain('once they delete mail');
    expect(explainDeferral(reason, 'ann@far.example', true)?.text).toContain('Raise its quota');
  });
});
