import { gzipSync } from 'node:zlib';
import { dmarcXml, type ReportFields } from './dmarc-report';
import { type TlsFields, tlsReport } from './tls-report';
import { zip } from './zip';

/** Mail with files attached, or without one. */
export function mailWith(...files: { type: string; content: Uint8Array | string }[]): string {
  const head = ['From: reports@far.example', 'Subject: Report domain', 'MIME-Version: 1.0'];
  const text = ['Content-Type: text/plain', '', 'This is a report.', ''];
  if (files.length === 0) return [...head, ...text].join('\r\n');
  const parts = files.flatMap(({ type, content }) => {
    const body = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n');
    return ['--b', `Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', '', body];
  });
  return [...head, 'Content-Type: multipart/mixed; boundary=b', '', '--b', ...text, ...parts, '--b--', ''].join('\r\n');
}

export function dmarcMail(fields: ReportFields): string {
  const file = zip([
    { name: `far.example!${fields.domain}!1!2.xml`, content: dmarcXml({ day: yesterday(), ...fields }) },
  ]);
  return mailWith({ type: 'application/zip', content: file });
}

export function tlsMail(fields: TlsFields): string {
  const content = gzipSync(JSON.stringify(tlsReport({ day: yesterday(), ...fields })));
  return mailWith({ type: 'application/tlsrpt+gzip', content });
}

function yesterday(): string {
  return new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
