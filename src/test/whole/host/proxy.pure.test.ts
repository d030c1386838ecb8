import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { caddyfile, findForeignCaddyfile } from '../../../../deploy/host/proxy.mjs';
import { makeFolder, write } from './programs';

const folder = makeFolder();

describe('the reverse proxy', () => {
  const OF_DEBIAN = '# The Caddyfile is an easy way to configure your Caddy web server.\n:80 {\n}\n';
  const template = readFileSync('deploy/reverse-proxy/Caddyfile', 'utf8');
  const settings = { APP_URL: 'https://post.example.com', MAIL_HOST: 'mx.example.com', PORT: '3210' };

  it('serves the console, and passes challenges for both names on to the agent', () => {
    const acme = { MAIL_ACME_EMAIL: 'ann@example.com', MAIL_ACME_HTTP_ADDRESS: '127.0.0.1:8402' };
    const text = caddyfile(template, { ...settings, ...acme });
    expect(text).toContain('\npost.example.com {\n\t# Single');
    expect(text).toContain('\n{\n\temail ann@example.com\n');
    expect(text).toContain('http://post.example.com, http://mx.example.com {');
    expect(text).toContain('reverse_proxy 127.0.0.1:8402');
    expect(text).not.toMatch(/127\.0\.0\.1:3000|mail\.example\.com/);
  });

  it('uses a certificate of the operator, and asks for none then', () => {
    const files = { MAIL_TLS_CERTIFICATE: '/etc/ssl/a.pem', MAIL_TLS_KEY: '/etc/ssl/b.pem' };
    const text = caddyfile(template, { ...settings, ...files });
    expect(text).toContain('\npost.example.com {\n\ttls /etc/ssl/a.pem /etc/ssl/b.pem\n');
    expect(text).not.toContain('acme-challenge');
  });

  it.each([
    ['none', '', null],
    ['comments alone', '# Sites of your own can be added below.\n\n', null],
    ['Debian’s', OF_DEBIAN, null],
    ['Debian’s with a site', `${OF_DEBIAN}wiki.example.com {\n}\n`, /has sites of yours/],
    ['ours with other sites', 'import /etc/caddy/postroom.caddy\nwiki.example.com {\n}\n', null],
    ['another one', 'wiki.example.com {\n}\n', /has sites of yours\. Let it begin with the line "import/],
  ])('leaves the sites of the operator alone: %s', (_, text, sentence) => {
    const packaged = () => createHash('md5').update(OF_DEBIAN).digest('hex');
    write(folder, { Caddyfile: text });
    const found = findForeignCaddyfile(join(folder, 'Caddyfile'), { packaged });
    expect(found).toEqual(sentence === null ? null : expect.stringMatching(sentence));
  });
});
