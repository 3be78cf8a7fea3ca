/**
 * How the SDK says that the connection broke before an answer was there, or in the middle of one. "use of closed network
 * connection" comes from the SDK for Go itself: now and then it closes a connection that it reads from. It knows the error and
 * tries again (aws-sdk-go-v2, pull request 2949), as the real provider does, up to 25 times, and the stub provider up to 5.
 */
const BROKEN =
  /(deserialization failed|request send failed).*(use of closed network connection|connection reset by peer|\bEOF\b)/;

/** Whether Terraform failed for that and for nothing else: another run may then succeed. */
export function isBrokenTransport(output: string): boolean {
  // Terraform breaks its messages into lines, within a frame.
  const [, ...errors] = output.replaceAll(/[\s│╷╵]+/g, ' ').split('Error: ');
  return errors.length > 0 && errors.every(error => BROKEN.test(error));
}
