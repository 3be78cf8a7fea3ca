import { carryOut, type Plan, type Session, type Told } from '../../cli/operation.ts';
import type { Clients } from '../../operate/aws/clients.ts';

export interface TestSession extends Session {
  readonly printed: string[];
  readonly shown: string[];
}

/** What an operation works with, where nobody is asked. */
export function sessionOf(clients: Partial<Clients>, over: Partial<Session> = {}): TestSession {
  const printed: string[] = [];
  const shown: string[] = [];
  return {
    ...{ printed, shown },
    clients: { where: () => 'here', isLocal: () => true, isBeside: () => true, ...clients } as Clients,
    dryRun: false,
    signal: new AbortController().signal,
    ask: undefined,
    print: text => void printed.push(text),
    show: line => void shown.push(line),
    atEnd: () => undefined,
    ...over,
  };
}

/** Carries a plan out as a command does. */
export function carriedOut(
  plan: Plan<object>,
  session: Session,
  resultFile?: string,
): Promise<Told | undefined> {
  return carryOut(plan, session, { question: 'Do it?', region: 'us-east-1', resultFile });
}
