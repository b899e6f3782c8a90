// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Buyer, IPair, IToken} from "../src/Buyer.sol";

/// The cheatcodes that these tests use; forge-std has them all.
interface Vm {
    function createSelectFork(string calldata url) external returns (uint256);
    function rollFork(uint256 number) external;
    function envString(string calldata name) external view returns (string memory);
    function deal(address who, uint256 amount) external;
    function prank(address sender) external;
    function expectPartialRevert(bytes4 selector) external;
    function assume(bool) external pure;
}

contract BuyerTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    IToken constant TOKEN = IToken(0x5FbDB2315678afecb367f032d93F642f64180aa3);
    IPair constant PAIR = IPair(0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0);
    address constant HOLDER = address(0x1001);
    address constant FRIEND = address(0xf12e17d);

    Buyer buyer;

    function setUp() public {
        vm.createSelectFork(vm.envString("ETH_RPC_URL"));
        buyer = new Buyer(PAIR);
        vm.deal(address(this), 10 ether);
    }

    function testTheChainIsTheRecordedOne() public view {
        require(block.number == 60 && block.chainid == 31337, "another chain");
        require(TOKEN.totalSupply() == 1_000_000 ether, "another token");
    }

    function testBuysFromTheRecordedPool() public {
        (uint256 tokens,) = PAIR.reserves();
        uint256 got = buyer.buy{value: 1 ether}(1);
        (uint256 left,) = PAIR.reserves();
        require(got > 0 && TOKEN.balanceOf(address(this)) == got && left == tokens - got, "not bought");
    }

    function testRefusesABadPrice() public {
        vm.expectPartialRevert(Buyer.TooFew.selector);
        buyer.buy{value: 1 ether}(1_000_000 ether);
    }

    function testAHolderPays() public {
        uint256 before = TOKEN.balanceOf(FRIEND);
        vm.prank(HOLDER);
        TOKEN.transfer(FRIEND, 5);
        require(TOKEN.balanceOf(FRIEND) == before + 5, "not paid");
    }

    function testThePoolWasFullerBefore() public {
        (uint256 now_,) = PAIR.reserves();
        vm.rollFork(20);
        (uint256 then_,) = PAIR.reserves();
        require(block.number == 20 && then_ > now_, "no history");
    }

    function testFuzz_MoreEtherBuysMore(uint64 paid) public {
        vm.assume(paid > 1 gwei && paid < 1 ether);
        uint256 few = buyer.buy{value: paid}(1);
        require(buyer.buy{value: uint256(paid) * 4}(1) > few, "no more");
    }
}
