import classes from './endpoint.module.css';
import { urlParts } from './webhook-values';

export function Endpoint({ url }: { url: string }) {
  const [host, rest] = urlParts(url);
  return (
    <span className={classes.endpoint} title={url}>
      <b>{host}</b>
      <i>{rest}</i>
    </span>
  );
}
