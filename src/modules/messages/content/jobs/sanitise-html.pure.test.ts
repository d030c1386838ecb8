import { describe, expect, it } from 'vitest';
import type { AttachedFile } from '@/mail/mime/attached-files';
import { cpuMsOf } from '@/test/main-thread';
import { sanitiseHtml } from './sanitise-html';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

function png(bytes: number) {
  const content = new Uint8Array(bytes);
  content.set(PNG);
  return content;
}

function image(over: Partial<AttachedFile> = {}): AttachedFile {
  return {
    filename: 'logo.png',
    contentType: 'image/png',
    content: PNG,
    contentId: 'logo@a',
    disposition: null,
    ...over,
  };
}

const html = (source: string, files: AttachedFile[] = []) => sanitiseHtml(source, files).html;

describe('sanitised HTML', () => {
  it('keeps what formats text', () => {
    const source =
      '<h1 style="color:#333;font-family:\'Arial\'">Hi</h1><table bgcolor="#fff"><tr><td colspan="2">x</td></tr></table>';
    const safe = html(source);
    expect(safe).toContain('color:#333');
    expect(safe).toContain('<td colspan="2">x</td>');
    expect(safe).toContain('bgcolor="#fff"');
  });

  it.each([
    '<script>alert(1)</script>',
    '<ScRiPt src="https://evil.example/x.js"></sCrIpT>',
    '<svg onload="alert(1)"><script>alert(1)</script><image href="https://evil.example/x.png"/></svg>',
    '<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>',
    '<iframe src="https://evil.example/"></iframe><iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<object data="https://evil.example/"></object><embed src="https://evil.example/">',
    '<form action="https://evil.example/"><input name="a"><button formaction="https://evil.example/">Go</button></form>',
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    '<base href="https://evil.example/">',
    '<link rel="stylesheet" href="https://evil.example/x.css">',
    '<style>@import "https://evil.example/x.css"; body { background: url(https://evil.example/x) }</style>',
    '<div style="background:url(https://evil.example/x)">x</div>',
    '<div style="background-image:u\\72l(https://evil.example/x);color:red">x</div>',
    '<div style="width:expression(alert(1))">x</div>',
    '<div style="color:red;background:/**/url(\'//evil.example/x\')">x</div>',
    '<table background="https://evil.example/x"><tr><td background="https://evil.example/y">x</td></tr></table>',
    '<video poster="https://evil.example/x" src="https://evil.example/y"></video><audio src="https://evil.example/z"></audio>',
    '<img src="https://evil.example/pixel.gif" srcset="https://evil.example/2x.gif 2x">',
    '<img src="//evil.example/pixel.gif"><img src="/api/v1/auth/logout">',
    '<img src="data:image/svg+xml;base64,PHN2Zy8+"><img src="data:text/html,<script>alert(1)</script>">',
    '<img src=x onerror=alert(1) onload=alert(1)>',
    '<p onclick="alert(1)" onmouseover=alert(1)>x</p>',
    '<a href="javascript:alert(1)">x</a><a href="java\tscript:alert(1)">x</a><a href="&#106;avascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a><a href="vbscript:x">x</a><a href="//evil.example/">x</a>',
    '<a href="file:///etc/passwd">x</a>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<template><script>alert(1)</script></template><portal src="https://evil.example/"></portal>',
    '<!--[if IE]><script>alert(1)</script><![endif]--><![CDATA[<script>alert(1)</script>]]>',
  ])('leaves nothing that runs, loads or submits of %s', (source) => {
    const safe = html(source);
    expect(safe).not.toMatch(
      /evil\.example|alert|script|expression|url\(|@import|<(?!\/?(?:p|div|table|tr|td|tbody|a|img)\b)/i,
    );
    expect(safe).not.toMatch(/\son\w+=|javascript:|vbscript:|data:|srcset|file:/i);
  });

  it.each([
    [
      '<td style="background:#123456 url(https://far.example/x) no-repeat;color:#fff">x</td>',
      'background:#123456  no-repeat;color:#fff',
    ],
    ['<td style="background:url(\'//far.example/x\') navy;color:white">x</td>', 'background:navy;color:white'],
    [
      '<body bgcolor="#123456" text="white" style="font-size:14px">x</body>',
      'background-color:#123456;color:white;font-size:14px',
    ],
    ['<body style="background:black;color:white" onload="alert(1)">x</body>', 'background:black;color:white'],
  ])('keeps the background of %s', (source, style) => {
    expect(html(source)).toMatch(new RegExp(`^<(td|div) style="${style}">x</\\1>$`));
  });

  it('keeps no wrapper for a body without colours', () => {
    expect(html('<html><body bgcolor="red;x:y">x</body></html>')).toBe('x');
  });

  it('keeps the links of a long conversation', () => {
    const source = `${'<div>'.repeat(2_000)}<a href="https://far.example/">x</a>${'</div>'.repeat(2_000)}`;
    expect(html(source)).toContain('href="https://far.example/"');
  });

  it('opens links in a new tab that knows nothing of the console', () => {
    expect(html('<a href="https://shop.example/" target="_top" rel="opener">x</a>')).toBe(
      '<a target="_blank" rel="noopener noreferrer nofollow" href="https://shop.example/">x</a>',
    );
  });

  it('leaves links into the console inert', () => {
    for (const href of ['/domains', '?tab=raw', '#top', 'domains', '\\\\evil.example', '']) {
      expect(html(`<a href="${href}">x</a>`)).not.toContain('href');
    }
  });

  it('shows images of the message itself, and counts the others', () => {
    const source =
      '<img src="cid:logo@a" alt="Logo"><img src="https://evil.example/x.png" alt="Offer"><img src="cid:none">';
    const safe = sanitiseHtml(source, [image()]);
    expect(safe.html).toContain('<img alt="Logo" src="data:image/png;base64,iVBORw==" />');
    expect(safe.html).toContain('<img alt="Offer" />');
    expect([...safe.shownFiles]).toEqual([0]);
    expect(safe.blockedImages).toBe(2);
  });

  it.each([
    ['named by its file name', '<img src="a%20b.png">', image({ filename: 'a b.png', contentId: null })],
    ['whose address is its file name', '<img src="cid:logo.png">', image({ contentId: 'other@a' })],
    ['that is its own address, with parameters', '<img src="DATA:image/png;charset=utf-8;base64,iVBORw==">', image()],
    ['with white space around the address', '<img src="\n  cid:logo@a ">', image()],
    ['with brackets and spaces in the address', '<img src="CID:%3C logo@a %3E">', image()],
    ['of another type than declared', '<img src="cid:logo@a">', image({ contentType: 'application/octet-stream' })],
  ])('shows an image %s', (_case, source, file) => {
    expect(html(source, [file])).toMatch(/^<img src="data:image\/png(;charset=utf-8)?;base64,iVBORw==" \/>$/i);
  });

  it.each([
    ['bmp', [0x42, 0x4d, 1, 2, 3, 4, 0, 0, 0, 0]],
    ['avif', [0, 0, 0, 32, ...Buffer.from('ftypavif')]],
    ['x-icon', [0, 0, 1, 0, 2, 0]],
  ])('shows an image of the type %s', (type, bytes) => {
    const content = new Uint8Array(bytes);
    const source = `data:image/${type};base64,${Buffer.from(content).toString('base64')}`;
    expect(html('<img src="cid:logo@a">', [image({ content })])).toBe(`<img src="${source}" />`);
    expect(html(`<img src="${source}">`)).toBe(`<img src="${source}" />`);
  });

  it('keeps a link with white space around its address', () => {
    expect(html('<a href=" https://far.example/ ">x</a>')).toContain('href="https://far.example/"');
    expect(html('<a href=" javascript:alert(1)">x</a>')).not.toContain('href');
  });

  it('shows no image that a browser could run, and none beyond a size', () => {
    const svg = image({ content: new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>') });
    expect(html('<img src="cid:logo@a">', [svg])).toBe('<img />');
    const large = image({ content: png(6 * 1024 * 1024) });
    expect(sanitiseHtml('<img src="cid:logo@a">', [large])).toMatchObject({ html: '<img />', isCut: true });
    const many = sanitiseHtml('<img src="cid:logo@a">'.repeat(3), [image({ content: png(2 * 1024 * 1024) })]);
    expect(many.html.match(/data:image/g)).toHaveLength(2);
    expect(many.isCut).toBe(true);
  });

  it('has links of a length that browsers open, and takes no time for longer ones', async () => {
    const comments = `https://far.example/${'<!---->'.repeat(120_000)}`;
    const links = `<a href="${comments}">Far</a><a href="https://near.example/${'a'.repeat(8_000)}">Near</a>`;
    expect(await cpuMsOf(() => sanitiseHtml(links, []))).toBeLessThan(5_000);
    const safe = sanitiseHtml(links, []);
    expect(safe.html).toMatch(/^<a target="_blank" rel="[a-z ]+">Far<\/a><a href="https:\/\/near\.example\/a{8000}"/);
    expect(safe.isCut).toBe(true);
  });

  it('is limited in depth, and says so', () => {
    expect(sanitiseHtml(`${'<div>'.repeat(20_000)}x`, [])).toMatchObject({
      html: expect.not.stringContaining('x'),
      isCut: true,
    });
  });
});
