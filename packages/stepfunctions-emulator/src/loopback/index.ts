/** Keeps all traffic on this machine: the check of an endpoint, and the server of an AWS API. */

export { EmulatorError, NotLoopbackError } from '../errors.ts';
export { awsJson, type Fields, type JsonApi } from './aws-json.ts';
export {
  ApiError,
  type HttpAnswer,
  type HttpProtocol,
  type HttpRequest,
  isLoopback,
  isLoopbackHost,
  LoopbackServer,
  requireLoopback,
  type ServerOptions,
  stopServer,
} from './http-server.ts';
