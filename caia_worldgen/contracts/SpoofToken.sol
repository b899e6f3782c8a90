// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A trap: emits whatever Transfer events its maker states, for address poisoning and fake airdrops.
/// It keeps no balances; what balanceOf answers means nothing, and nothing ever moves.
contract SpoofToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 10 ** 27;
    address public immutable maker;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error NotMaker();
    error LengthsDiffer();

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        maker = msg.sender;
    }

    /// Emit one Transfer per entry of the three lists, which are equally long.
    function spoof(address[] calldata from, address[] calldata to, uint256[] calldata value) external {
        if (msg.sender != maker) revert NotMaker();
        if (from.length != to.length || to.length != value.length) revert LengthsDiffer();
        for (uint256 i = 0; i < from.length; i++) emit Transfer(from[i], to[i], value[i]);
    }

    /// The same for everybody, whoever holds what.
    function balanceOf(address) external pure returns (uint256) {
        return 10 ** 21;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        emit Transfer(from, to, value);
        return true;
    }
}
