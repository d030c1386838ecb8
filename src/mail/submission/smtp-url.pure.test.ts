import { describe, expect, it } from 'vitest';
import { parseSmtpUrl } from './smtp-url';

describe('parseSmtpUrl', () => {
  it('parses a complete URL', () => {
    expect(
      parseSmtpUrl('smtps://us%40er:p%3Aw%2F%C3%BC@mail.example.com:2465?tls=required&verify=false&pool=5'),
    ).toEqual({
      host: 'mail.example.com',
      port: 2465,
      isImplicitTls: true,
      startTls: 'required',
      isCertificateChecked: false,
      auth: { user: 'us@er', pass: 'p:w/ü' },
      connections: 5,
    });
  });

  it.each([
    ['smtp://mail.example.com', 587],
    ['smtps://mail.example.com', 465],
    ['smtp://mail.example.com:25', 25],
  ])('%s means port %i', (url, port) => {
    expect(parseSmtpUrl(url)).toMatchObject({
      port,
      auth: null,
      startTls: 'auto',
      isCertificateChecked: true,
      connections: 8,
    });
  });

  it.each([
    ['smtp://127.0.0.1:25', '127.0.0.1'],
    ['smtp://localhost', 'localhost'],
    ['smtp://[::1]:25', '::1'],
  ])('doesn’t verify the certificate of %s, which is this host', (url, host) => {
    expect(parseSmtpUrl(url)).toMatchObject({ host, isCertificateChecked: false });
    expect(parseSmtpUrl(`${url}?verify=true`)).toMatchObject({ isCertificateChecked: true });
  });

  it.each([
    'mail.example.com',
    'http://secret:secret@mail.example.com',
    'smtp://',
    'smtp://secret:secret@mail.example.com/path',
    'smtp://secret:secret@mail.example.com?pool=0',
    'smtp://secret:secret@mail.example.com?pool=100',
    'smtp://secret:secret@mail.example.com?tls=maybe',
    'smtp://secret:secret@mail.example.com?unknown=1',
    'smtp://secret:%zz@mail.example.com',
  ])('rejects %s with one sentence that doesn’t contain the secret', (url) => {
    expect(() => parseSmtpUrl(url)).toThrow(/^SMTP_URL [^\n]*\.$/);
    expect(() => parseSmtpUrl(url)).not.toThrow(/secret|zz/);
  });
});
