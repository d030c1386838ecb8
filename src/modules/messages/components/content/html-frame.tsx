import classes from './html-frame.module.css';

/**
 * Shows sanitised HTML of a message without scripts, in an origin of its own. Links open in a new tab. The policy is a
 * second line behind the sanitiser: nothing is loaded.
 */
export function HtmlFrame({ html }: { html: string }) {
  return (
    <iframe
      className={classes.frame}
      title="HTML of the message"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      srcDoc={`${HEAD}${html}`}
    />
  );
}

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

// The colors of paper, since messages are designed for it.
const STYLE = `
  html { color-scheme: light; background: #fff; color: #1c1c1c; }
  body { margin: 16px; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
  img { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; }
`;

const HEAD = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>${STYLE}</style>`;
