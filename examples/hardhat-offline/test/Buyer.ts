import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { network } from "hardhat";
import { parseAbi, parseEther, toHex } from "viem";

const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PAIR = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";
const HOLDER = "0x0000000000000000000000000000000000001001";
const FRIEND = "0x000000000000000000000000000000000f12e17d";
const tokenAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

/** Each test has a fork of its own, so nothing of another test is left. */
async function fork() {
  const { viem, provider } = await network.create("fork");
  const client = await viem.getPublicClient();
  const balance = (who: `0x${string}`) =>
    client.readContract({ address: TOKEN, abi: tokenAbi, functionName: "balanceOf", args: [who] });
  return { viem, provider, client, balance };
}

describe("Buyer on the recorded chain", () => {
  it("stands at the recorded block", async () => {
    const { client } = await fork();
    assert.equal(await client.getBlockNumber(), 60n);
  });

  it("buys from the recorded pool", async () => {
    const { viem, balance } = await fork();
    const [me] = await viem.getWalletClients();
    const before = await balance(me.account.address);
    const buyer = await viem.deployContract("Buyer", [PAIR]);
    await buyer.write.buy([1n], { value: parseEther("1") });
    assert.ok((await balance(me.account.address)) > before);
  });

  it("refuses a bad price", async () => {
    const { viem } = await fork();
    const buyer = await viem.deployContract("Buyer", [PAIR]);
    await assert.rejects(buyer.write.buy([parseEther("1000000")], { value: parseEther("1") }), /TooFew/);
  });

  it("lets a holder pay", async () => {
    const { viem, provider, client, balance } = await fork();
    await provider.request({ method: "hardhat_impersonateAccount", params: [HOLDER] });
    await provider.request({ method: "hardhat_setBalance", params: [HOLDER, toHex(parseEther("1"))] });
    const holder = await viem.getWalletClient(HOLDER);
    const before = await balance(FRIEND);
    const hash = await holder.writeContract({ address: TOKEN, abi: tokenAbi, functionName: "transfer", args: [FRIEND, 5n] });
    const receipt = await client.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, "success");
    assert.equal(await balance(FRIEND), before + 5n);
  });

  it("finds what was paid before", async () => {
    const { client } = await fork();
    const paid = await client.getContractEvents({ address: TOKEN, abi: tokenAbi, eventName: "Transfer", fromBlock: 50n, toBlock: 60n });
    assert.ok(paid.length >= 11);
  });
});
