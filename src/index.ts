/** What does the library offer? The reader, and the contracts it reads under. */

export { compileContract } from './contract/compile-contract.ts';
export type { CompileResult, Contract, ContractIssue } from './contract/contract.ts';
export type { Fault, FaultCode } from './reader/fault.ts';
export { readReply } from './reader/read-reply.ts';
export type { Reading, ReadResult, Repair, RepairKind } from './reader/reading.ts';
