import { expiryModel, isExpiry, type StreamRecord } from '../../expiry/index.ts';

const sessions = expiryModel({ partitionKey: 'UserName', sortKey: 'SessionId' });

export const expiriesOf = ({ Records }: { Records: StreamRecord[] }) =>
  Records.filter(record => isExpiry(sessions, record));
